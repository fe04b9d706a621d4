/// \file The configuration of a booster as a JSON document.
#pragma once

#include <string>
#include <vector>

#include "booster/components.h"
#include "kauri/model.h"
#include "kauri/parameter.h"

namespace kauri {

/// What a document sets. Those of other libraries of this format say more than users do.
struct ConfigDocument {
  bool is_own = false;  ///< Kauri's: the parameters are those that the user set, and all that the model was made of
  ParamMap params;
  ParamMap of_model;  ///< what the model says of parameters, and the user does not set
  std::vector<std::string> metric_names;
};

/// model: as the parameters have it.
std::string ConfigAsJson(Components const& parts, Model const& model);

/// \throws Error(kParameter) for text that is no such document.
ConfigDocument ParseConfig(std::string const& json);

}  // namespace kauri
