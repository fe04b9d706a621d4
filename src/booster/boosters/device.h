/// \file The parameter `device`: where training and prediction run.
#pragma once

#include "kauri/context.h"
#include "kauri/parameter.h"

namespace kauri {

/// Parses `device`: cpu, cuda, cuda:N, cuda:N,M,.. or cuda:all, with gpu as an alias of cuda; absent: cpu. The device
/// need not exist. \throws Error(kParameter): another text, or a device named twice.
DeviceKind ParseDeviceKind(ParamMap const& map);

/// Returns the ordinal of the single CUDA device named by `device`; -1: the CPU, or several devices. \throws
/// Error(kParameter) as above.
int OrdinalOf(ParamMap const& map);

/// Returns the devices. \throws Error(kParameter) as above, Error(kDevice) unless all of them exist.
Device FindDevice(ParamMap const& map);
/// Returns whether FindDevice() would succeed.
bool HasDevice(ParamMap const& map);

}  // namespace kauri
