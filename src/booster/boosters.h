/// \file The boosters' entries.
#pragma once

#include "kauri/registry.h"

namespace kauri {

void RegisterBoosters(Registry<BoosterFactory>* registry);

}  // namespace kauri
