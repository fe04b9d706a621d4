/// \file Weighted central power sums of one pass, after Pebay, Terriberry, Kolla & Bennett (2016); the state of the
/// moment sketch of Mitchell, Frank & Holmes (2021).
///
/// Plain sums of x^k lose all digits if the mean is far from zero compared to the range; sums about the mean do not.
/// Values are scaled by a power of two to at most 1, so that the powers of any float32 are finite.
///
/// The host and devices add in the same order, so that both have the same bits:
/// 1. Values come in blocks of kPowerBlock. Lane i mod 32 adds value i of a block.
/// 2. Lanes are joined in halves: 16 to 16, 8 to 8, and so on. First the weights and the mean, then the powers of the
///    differences from the mean.
/// 3. Blocks are merged in pairs along a binary tree of their numbers (PowerSumTree).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "kauri/host_device.h"
#include "kauri/span.h"

namespace kauri {

constexpr int kMaxMoment = 15;             ///< beyond it float64 sums are dominated by rounding errors
constexpr std::size_t kPowerBlock = 4096;  ///< values of a block
constexpr std::size_t kPowerLanes = 32;    ///< parallel sums of a block

struct PowerSums {
  int order = kMaxMoment;  ///< the highest power
  int exponent = 0;        ///< mean and sums are of x / 2^exponent
  double weight = 0.0;
  double mean = 0.0;
  std::array<double, kMaxMoment + 1> sums{};  ///< [k]: sum of weight * (x - mean)^k, for k from 2 to `order`
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();

  /// Returns the sums of both sets of values, with this one's values first.
  PowerSums MergedWith(PowerSums const& next) const;
  /// Returns the moments about 0 of the values with [min, max] mapped to [-1, 1]: [order + 1], or fewer. Requires min <
  /// max. Stops before the first moment that no distribution on [-1, 1] can have.
  std::vector<double> MappedMoments() const;
};

/// Returns the sums of at most kPowerBlock values. Skips NaN and values without weight; without weights each value
/// weighs 1.
PowerSums SumBlock(Span<float const> values, Span<float const> weights, int order);

/// The sums of any number of blocks. It stores one PowerSums per binary digit of the number of blocks that is 1.
class PowerSumTree {
 public:
  explicit PowerSumTree(int order) : order_(order) {}
  /// Adds values in blocks; the last block may be short. Parts whose lengths are multiples of kPowerBlock therefore
  /// give the same sums as the whole.
  void Add(Span<float const> values, Span<float const> weights);
  /// Adds the other's sums as one more block.
  void Merge(PowerSumTree const& other) { AddBlock(other.Sums()); }
  PowerSums Sums() const;
  std::size_t Bytes() const { return sizeof(*this) + levels_.size() * sizeof(PowerSums); }

 private:
  void AddBlock(PowerSums block);

  int order_;
  std::uint64_t n_blocks_ = 0;
  std::vector<PowerSums> levels_;  ///< [level]: the sums of 2^level blocks, valid if that digit of n_blocks_ is 1
};

namespace power_sums {

struct Binomials {
  double rows[kMaxMoment + 1][kMaxMoment + 1];  ///< [n][k]: n over k, exact
};

constexpr Binomials MakeBinomials() {
  Binomials table{};
  for (int n = 0; n <= kMaxMoment; ++n) {
    table.rows[n][0] = 1.0;
    for (int k = 1; k <= n; ++k) table.rows[n][k] = table.rows[n - 1][k - 1] + (k < n ? table.rows[n - 1][k] : 0.0);
  }
  return table;
}

KAURI_HD void Rescale(int exponent, PowerSums* sums) {
  if (exponent == sums->exponent) return;
  auto const factor = std::ldexp(1.0, sums->exponent - exponent);
  auto power = factor;
  sums->mean *= factor;
  for (std::size_t k = 2; k < sums->sums.size(); ++k) sums->sums[k] *= power *= factor;
  sums->exponent = exponent;
}

/// Returns the exponent that scales a block's values to at most 1.
KAURI_HD int ExponentOf(float min, float max) {
  int exponent = 0;
  std::frexp(std::max(std::fabs(min), std::fabs(max)), &exponent);
  return exponent;
}

/// Distances of the means of two parts from their common mean.
struct Shift {
  double delta;     ///< right mean minus left mean
  double to_left;   ///< left mean minus common mean
  double to_right;  ///< right mean minus common mean
};

/// Returns the shift between parts of the same exponent, both with positive weight.
KAURI_HD Shift ShiftBetween(PowerSums const& left, PowerSums const& right) {
  auto const total = left.weight + right.weight;
  auto const delta = right.mean - left.mean;
  return {delta, -right.weight * delta / total, left.weight * delta / total};
}

/// Returns the sum of power k over both parts (thesis, equation 12). binomials: [k + 1], row k of the table.
KAURI_HD double MergedSum(PowerSums const& left, PowerSums const& right, Shift const& shift, std::size_t k,
                          double const* binomials) {
  auto sum = 0.0;
  auto left_power = 1.0;
  auto right_power = 1.0;
  for (std::size_t i = 0; i + 2 <= k; ++i) {
    sum += binomials[i] * (left.sums[k - i] * left_power + right.sums[k - i] * right_power);
    left_power *= shift.to_left;
    right_power *= shift.to_right;
  }
  return sum + (left.weight * (left_power * shift.to_left) + right.weight * (right_power * shift.to_right));
}

/// Merges weight, mean and bounds.
KAURI_HD void MergeRest(PowerSums const& right, Shift const& shift, PowerSums* left) {
  auto const total = left->weight + right.weight;
  left->mean += shift.delta * right.weight / total;
  left->weight = total;
  left->min = std::min(left->min, right.min);
  left->max = std::max(left->max, right.max);
}

/// Adds `right`, whose values come after the values of `left`.
KAURI_HD void MergeInto(PowerSums right, PowerSums* left, Binomials const& table) {
  if (right.weight <= 0.0) return;
  if (left->weight <= 0.0) {
    *left = right;
    return;
  }
  auto const exponent = std::max(left->exponent, right.exponent);
  Rescale(exponent, left);
  Rescale(exponent, &right);
  auto const shift = ShiftBetween(*left, right);
  // Downwards, because each sum needs the old sums of lower powers.
  for (auto k = static_cast<std::size_t>(left->order); k >= 2; --k) {
    left->sums[k] = MergedSum(*left, right, shift, k, table.rows[k]);
  }
  MergeRest(right, shift, left);
}

}  // namespace power_sums
}  // namespace kauri
