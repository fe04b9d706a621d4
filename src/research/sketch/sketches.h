/// \file The quantile sketches kll and moments, by name. For data in memory, exact quantiles are faster and exact.
#pragma once

#include "kauri/registry.h"

namespace kauri {

void RegisterResearchSketches(Registry<SketchFactory>* registry);

}  // namespace kauri
