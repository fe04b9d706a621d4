/// \file The configuration of a booster as a JSON document.
#pragma once

#include <string>
#include <vector>

#include "booster/config/components.h"
#include "kauri/model.h"
#include "kauri/parameter.h"

namespace kauri {

/// Contents of a configuration document. Documents of other libraries with this format list more than users set.
struct ConfigDocument {
  bool is_own = false;  ///< written by Kauri, whose documents separate `params` from `of_model`
  ParamMap params;      ///< set by the user; in foreign documents, everything that is not in `of_model`
  ParamMap of_model;    ///< parameters of the model that the user does not set
  std::vector<std::string> metric_names;
};

/// Returns the configuration as JSON text. `model` agrees with the parameters (ReadyModel).
std::string ConfigAsJson(Components const& parts, Model const& model);

/// Parses a configuration document. \throws Error(kParameter) for text that is not one.
ConfigDocument ParseConfig(std::string const& json);

}  // namespace kauri
