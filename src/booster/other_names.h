/// \file Names that people give a booster and that it does not know: arguments of functions, settings of the command
/// line, names of former versions of XGBoost and of other libraries.
#pragma once

#include <string>
#include <vector>

namespace kauri {

/// What to do in place of setting the parameter `name`, which nobody knows: a cure from the table of other names, else
/// the nearest of `known`; beginning with "; ", or "." where there is nothing to say.
std::string HintFor(std::string const& name, std::vector<std::string> const& known);

/// Which value of a parameter a name is: each kind has a table of names of its own.
enum class NameKind { kObjective, kMetric, kTreeMethod, kBooster };

/// Throws Error(kParameter), which says what to write instead, for a name that another library or a former version has
/// for something of this kind. Case does not matter. Call it before the registry is asked, and for unknown names only.
void RefuseOtherName(NameKind kind, std::string const& name);

}  // namespace kauri
