/// \file Arrays as they come in: of the host, or of a device.
#pragma once

#include <nlohmann/json.hpp>
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

/// The array interface, as JSON, of memory that stays with the library. stride: bytes from an element of a vector to
/// the next where they do not lie side by side; 0: they do.
std::string InterfaceOf(void const* data, std::vector<std::size_t> const& shape, char const* typestr,
                        std::size_t stride = 0);

}  // namespace kauri::c_api
