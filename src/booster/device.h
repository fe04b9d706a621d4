/// \file The parameter `device`: where training and prediction run.
#pragma once

#include "kauri/context.h"
#include "kauri/parameter.h"

namespace kauri {

/// Reads `device` from the map: cpu, cuda, gpu (an alias) or cuda:N; absent: cpu. \throws Error(kParameter).
Device ParseDevice(ParamMap const& map);

}  // namespace kauri
