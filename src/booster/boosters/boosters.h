/// \file Registration of the boosters.
#pragma once

#include "kauri/registry.h"
#include "kauri/tree_param.h"

namespace kauri {

void RegisterBoosters(Registry<BoosterFactory>* registry);
void RegisterLinearBooster(Registry<BoosterFactory>* registry);

/// Returns the input of a booster's factory. A booster without trees may have parameters of its own with the names of
/// tree parameters; its tree parameters have the defaults. \throws Error(kParameter).
TrainingParams ParamsOf(Registry<BoosterFactory>::Entry const& booster, ParamMap const& params);

}  // namespace kauri
