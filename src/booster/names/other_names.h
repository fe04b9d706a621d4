/// \file Hints for unknown names that users pass to a booster: arguments of functions, settings of the command line,
/// names of former versions of XGBoost and of other libraries.
#pragma once

#include <string>
#include <vector>

namespace kauri {

/// Returns advice for the unknown parameter `name`: a cure from the table of other names, else the nearest of `known`.
/// The text begins with "; ", or is "." if there is no advice.
std::string HintFor(std::string const& name, std::vector<std::string> const& known);

/// The names that other libraries, or former versions of XGBoost, use for parameters or for components of one kind.
struct OtherNames {
  struct Entry {
    std::vector<std::string> names;
    std::string cure;  ///< a clause, such as "use max_depth"
  };
  std::string heading;  ///< "parameters", "objectives", ...
  std::vector<Entry> entries;
};

/// Returns every name that has advice, for lists in help texts.
std::vector<OtherNames> AllOtherNames();

/// Kind of component that a name stands for. Each kind has its own table of names.
enum class NameKind { kObjective, kMetric, kTreeMethod, kBooster };

/// Throws Error(kParameter) with the replacement for a name that another library or a former version uses for this
/// kind. Case does not matter. Call it before the registry's lookup, and for unknown names only.
void RefuseOtherName(NameKind kind, std::string const& name);

}  // namespace kauri
