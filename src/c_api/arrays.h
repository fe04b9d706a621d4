/// \file Arrays passed by callers, in host or device memory.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "kauri/device_memory.h"

namespace kauri::c_api {

/// Parses the array interface in argument `name`. \throws Error for null, and as the parsers do.
ArrayView ArrayOf(char const* json, char const* name);
DeviceArray DeviceArrayOf(char const* json, char const* name);

/// An array in host or device memory.
struct AnyArray {
  DeviceArray array;
  bool on_device = false;

  /// Returns the elements in host memory; device memory is copied.
  HostArray OnHost() const;
};

/// Parses an array of either memory. It is on a device if the text has "stream", or the address is a CUDA device's.
AnyArray AnyArrayOf(char const* json, char const* name);

/// Returns the array interface, as JSON, of memory that the library keeps. stride: bytes between the elements of a
/// vector; 0: they are contiguous.
std::string InterfaceOf(void const* data, std::vector<std::size_t> const& shape, char const* typestr,
                        std::size_t stride = 0);

}  // namespace kauri::c_api
