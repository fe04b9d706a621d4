/// \file Registration of the boosters.
#pragma once

#include "kauri/registry.h"
#include "kauri/tree_param.h"

namespace kauri {

void RegisterBoosters(Registry<BoosterFactory>* registry);

/// Returns the input of a booster's factory. A booster without trees has parameters of its own by the names of those of
/// trees; its trees have the defaults. \throws Error(kParameter).
TrainingParams ParamsOf(Registry<BoosterFactory>::Entry const& booster, ParamMap const& params);

}  // namespace kauri
