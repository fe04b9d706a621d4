/// \file Thresholds beyond all values of a segment, where its rows stay together and the missing ones go elsewhere.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace kauri {

constexpr float kBeyondMargin = 1e-6F;
constexpr float kLargestValue = std::numeric_limits<float>::max();

/// For `largest` below kLargestValue.
inline float ThresholdBeyond(float largest) {
  return std::min(largest + (std::fabs(largest) + kBeyondMargin), kLargestValue);
}

inline float ThresholdBelow(float smallest) {
  return std::max(smallest - (std::fabs(smallest) + kBeyondMargin), -kLargestValue);
}

}  // namespace kauri
