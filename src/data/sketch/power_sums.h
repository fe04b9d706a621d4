/// \file Weighted central power sums of one pass, after Pebay, Terriberry, Kolla & Bennett (2016); the state of the
/// moment sketch of Mitchell, Frank & Holmes (2021).
///
/// Plain sums of x^k lose all digits where the mean is far from zero next to the range; sums about the mean do not.
/// Values are scaled by a power of two to at most 1, so that the powers of any float32 are finite.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "kauri/span.h"

namespace kauri {

constexpr int kMaxMoment = 15;  ///< beyond it float64 sums are noise

struct PowerSums {
  int order = kMaxMoment;  ///< the highest power
  int exponent = 0;        ///< mean and sums are of x / 2^exponent
  double weight = 0.0;
  double mean = 0.0;
  std::array<double, kMaxMoment + 1> sums{};  ///< [k]: of weight * (x - mean)^k, for k from 2 to `order`
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();

  /// NaN and values without weight are passed over; no weights: each value weighs 1.
  void Add(Span<float const> values, Span<float const> weights);
  void Merge(PowerSums const& other);
  /// [order + 1], or fewer: the moments about 0 of the values with [min, max] mapped to [-1, 1]; needs min < max.
  /// Left out from the first on that no distribution on [-1, 1] can have.
  std::vector<double> MappedMoments() const;
};

}  // namespace kauri
