/// \file Arrays as they come in: of the host, or of a device.
#pragma once

#include <string>
#include <vector>

#include "kauri/device_memory.h"

namespace kauri::c_api {

/// The array interface in argument `name`. \throws Error for null, and as the parsers do.
ArrayView ArrayOf(char const* json, char const* name);
DeviceArray DeviceArrayOf(char const* json, char const* name);

/// An array of either memory.
struct AnyArray {
  DeviceArray array;
  bool on_device = false;

  /// The elements in host memory; those of a device are copied.
  HostArray OnHost() const;
};

/// On a device when the text has "stream", or the address is one of a CUDA device.
AnyArray AnyArrayOf(char const* json, char const* name);

}  // namespace kauri::c_api
