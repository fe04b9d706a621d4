/// \file Integers that order floats: for sorting with the same result on every host and device.
#pragma once

#include <cstdint>
#include <cstring>

#include "kauri/host_device.h"

namespace kauri {

/// Returns a key that is smaller for a larger value; 0 and -0 have the same key. A total order, NaNs included.
KAURI_HD std::uint32_t DescendingFloatKey(float value) {
  float const positive_zero = value + 0.0F;
  std::uint32_t bits;
  std::memcpy(&bits, &positive_zero, sizeof(bits));
  std::uint32_t const ascending = (bits & 0x80000000U) != 0U ? ~bits : bits | 0x80000000U;
  return ~ascending;
}

}  // namespace kauri
