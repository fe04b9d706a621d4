/// \file The loops of QuantiseGradients over consecutive pairs, several at a time.
#pragma once

#include <cstdint>

#include "common/fixed_point.h"

namespace kauri {

/// Absolute values as the bits of floats, which have their order; those of an infinity or NaN are at least
/// kNotFiniteBits.
struct AbsBits {
  std::int32_t gradient = 0;
  std::int32_t hessian = 0;
};
constexpr std::int32_t kNotFiniteBits = 0x7F800000;

/// The largest of n pairs and of `max`.
AbsBits LargestBits(GradientPair const* pairs, std::int64_t n, AbsBits max);

/// out [n] = QuantisePair of each.
void QuantisePairs(GradientPair const* pairs, std::int64_t n, GradientUnit steps, FixedPair* out);

}  // namespace kauri
