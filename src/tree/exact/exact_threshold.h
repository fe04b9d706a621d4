/// \file Thresholds beyond all values of a segment, which separate its rows from the missing ones. Used on the CPU and
/// on CUDA devices.
#pragma once

#include <cmath>
#include <limits>

#include "kauri/host_device.h"

namespace kauri {

constexpr float kBeyondMargin = 1e-6F;
constexpr float kLargestValue = std::numeric_limits<float>::max();

/// Returns a threshold above `largest`, which is below kLargestValue.
KAURI_HD float ThresholdBeyond(float largest) {
  auto const beyond = largest + (std::fabs(largest) + kBeyondMargin);
  return beyond < kLargestValue ? beyond : kLargestValue;
}

KAURI_HD float ThresholdBelow(float smallest) {
  auto const below = smallest - (std::fabs(smallest) + kBeyondMargin);
  return below > -kLargestValue ? below : -kLargestValue;
}

}  // namespace kauri
