/// \file Names that people give a booster and that are none of its parameters: arguments of functions, settings of the
/// command line, names of former versions of XGBoost and of other libraries.
#pragma once

#include <string>
#include <vector>

namespace kauri {

/// What to do in place of setting the parameter `name`, which nobody knows: a cure from the table of other names, else
/// the nearest of `known`; beginning with "; ", or "." where there is nothing to say.
std::string HintFor(std::string const& name, std::vector<std::string> const& known);

}  // namespace kauri
