/// \file The parameter `device`: where training and prediction run.
#pragma once

#include "kauri/context.h"
#include "kauri/parameter.h"

namespace kauri {

/// What `device` asks for: cpu, cuda, cuda:N, cuda:N,M,.. or cuda:all, where gpu is an alias of cuda; absent: cpu. Asks
/// for no device to be there. \throws Error(kParameter): another text, or a device named twice.
DeviceKind ParseDeviceKind(ParamMap const& map);

/// The number of the one CUDA device that `device` asks for; -1: the CPU, or several devices. \throws Error(kParameter)
/// as above.
int OrdinalOf(ParamMap const& map);

/// The devices themselves. \throws Error(kParameter) as above, Error(kDevice) unless all are there.
Device FindDevice(ParamMap const& map);
/// Whether it does not throw.
bool HasDevice(ParamMap const& map);

}  // namespace kauri
