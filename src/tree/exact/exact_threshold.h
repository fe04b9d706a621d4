/// \file Thresholds beyond all values of a segment, where its rows stay together and the missing ones go elsewhere; on
/// both sides, the host and the device.
#pragma once

#include <cmath>
#include <limits>

#include "kauri/host_device.h"

namespace kauri {

constexpr float kBeyondMargin = 1e-6F;
constexpr float kLargestValue = std::numeric_limits<float>::max();

/// For `largest` below kLargestValue.
KAURI_HD float ThresholdBeyond(float largest) {
  auto const beyond = largest + (std::fabs(largest) + kBeyondMargin);
  return beyond < kLargestValue ? beyond : kLargestValue;
}

KAURI_HD float ThresholdBelow(float smallest) {
  auto const below = smallest - (std::fabs(smallest) + kBeyondMargin);
  return below > -kLargestValue ? below : -kLargestValue;
}

}  // namespace kauri
