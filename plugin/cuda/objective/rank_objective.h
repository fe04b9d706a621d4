/// \file rank:pairwise, rank:ndcg and rank:map on the device.
#pragma once

#include <memory>

#include "cuda/objective/device_objective.h"

namespace kauri::cuda {

/// nullptr unless `objective` is one of them and learns no position bias.
std::unique_ptr<DeviceObjective> MakeDeviceRankObjective(Objective const& objective);

}  // namespace kauri::cuda
