/// \file reg:quantileerror, reg:expectileerror and survival:aft on the device; nullptr for other objectives.
#pragma once

#include <memory>

#include "cuda/objective/device_objective.h"

namespace kauri::cuda {

std::unique_ptr<DeviceObjective> MakeDeviceAlphas(Objective const& objective);
std::unique_ptr<DeviceObjective> MakeDeviceAft(Objective const& objective);

}  // namespace kauri::cuda
