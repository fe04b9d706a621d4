/// \file The contents of help: parameters by the components that declare them, and names by registry.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kauri/parameter.h"

namespace kauri::cli {

/// A heading and its parameters.
using Section = std::pair<std::string, ParameterTable>;

/// Returns the parameters of the components, each once, in groups that the same components declare.
std::vector<Section> ParameterSections();

/// Returns the program's own keys, the parameters, and the keys after the '?' of a data path for each format.
std::vector<Section> AllSections();

struct NamedText {
  std::string name;
  std::string text;
};

/// A registry's names. The parameter that chooses among them has its name.
struct NameList {
  std::string heading;
  std::string parameter;
  std::vector<NamedText> entries{};
};

/// Returns the names in the registries of data formats, boosters, tree methods, updaters, objectives and metrics.
std::vector<NameList> AllNameLists();

}  // namespace kauri::cli
