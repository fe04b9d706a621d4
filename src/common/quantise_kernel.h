/// \file The loops of QuantiseGradients over consecutive pairs, several at a time.
#pragma once

#include <cstdint>

#include "common/fixed_point.h"

namespace kauri {

/// Absolute values as the bits of floats, which have the same order. The bits of an infinity or NaN are at least
/// kNotFiniteBits.
struct AbsBits {
  std::int32_t gradient = 0;
  std::int32_t hessian = 0;
};
constexpr std::int32_t kNotFiniteBits = 0x7F800000;

/// Returns the maximum over n pairs and `max`.
AbsBits LargestBits(GradientPair const* pairs, std::int64_t n, AbsBits max);

/// Sets out [n] to QuantisePair of each pair.
void QuantisePairs(GradientPair const* pairs, std::int64_t n, GradientUnit steps, FixedPair* out);

}  // namespace kauri
