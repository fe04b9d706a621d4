/// \file Registration of the boosters.
#pragma once

#include "kauri/registry.h"

namespace kauri {

void RegisterBoosters(Registry<BoosterFactory>* registry);
void RegisterLinearBooster(Registry<BoosterFactory>* registry);

}  // namespace kauri
