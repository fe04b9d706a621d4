/// \file Maps numbers to bits with the same order. Used on the CPU and on CUDA devices.
#pragma once

#include <cstdint>
#include <cstring>

#include "kauri/host_device.h"

namespace kauri {

/// Returns bits in the order of the numbers, which must not be NaN. Negative zero precedes positive zero. All results
/// are below kNoOrderedBits.
KAURI_HD std::uint32_t OrderedBits(float value) {
  constexpr std::uint32_t kSign = 0x80000000U;
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits ^ ((bits & kSign) != 0 ? ~0U : kSign);
}

constexpr std::uint32_t kNoOrderedBits = 0xFFFFFFFFU;

KAURI_HD float FloatOfOrdered(std::uint32_t ordered) {
  constexpr std::uint32_t kSign = 0x80000000U;
  auto const bits = ordered ^ ((ordered & kSign) != 0 ? kSign : ~0U);
  float value = 0.0F;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

}  // namespace kauri
