/// \file random_strength: noise on the gains by which the features of a node compete (growth/tree_common.h computes
/// its size).
///
/// Each feature first finds its best split by gain, as without noise. The node takes the one with the largest gain +
/// noise. The gain itself is recorded, orders nodes for max_leaves, and is compared with min_split_loss. A split whose
/// gain is too small to be made does not compete, so that it cannot displace one that would be made.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "common/random/random.h"
#include "kauri/host_device.h"
#include "tree/split_gain.h"

namespace kauri {

/// Returns whether a is better by loss change plus noise. This is a total order, too, provided that the noise is a
/// function of the feature. Without noise it equals IsBetter.
KAURI_HD bool IsBetterWithNoise(SplitCandidate const& a, double noise_a, SplitCandidate const& b, double noise_b) {
  if (!a.IsValid() || !b.IsValid()) return IsBetter(a, b);
  double const noisy_a = a.loss_change + noise_a;
  double const noisy_b = b.loss_change + noise_b;
  return noisy_a != noisy_b ? noisy_a > noisy_b : IsBetter(a, b);
}

/// The noise of one node.
struct GainNoise {
  double deviation = 0.0;  ///< 0: none
  std::uint64_t key = 0;   ///< key of the node (sampling/sampling.h)
  float least = 0.0F;      ///< minimum gain of a split, besides kMinLossChange

  KAURI_HD bool IsOn() const { return deviation > 0.0; }
  KAURI_HD double Of(std::uint32_t feature) const { return IsOn() ? deviation * RandomNormal(key, feature) : 0.0; }
  KAURI_HD bool Admits(double loss_change) const {
    float const gain = static_cast<float>(loss_change);
    return gain > kMinLossChange && gain >= least;
  }
  KAURI_HD bool Admits(SplitCandidate const& split) const { return split.IsValid() && Admits(split.loss_change); }
  /// Compares two splits, each of which is admitted or invalid.
  bool IsBetter(SplitCandidate const& a, SplitCandidate const& b) const {
    if (!IsOn() || !a.IsValid() || !b.IsValid()) return kauri::IsBetter(a, b);
    return IsBetterWithNoise(a, Of(a.feature), b, Of(b.feature));
  }
  /// Lets a feature compete for *best. find(SplitCandidate*) replaces the candidate if a split of the feature has a
  /// larger loss change.
  template <typename Find>
  void Compete(std::uint32_t feature, Find&& find, SplitCandidate* best) const {
    if (!IsOn()) return find(best);
    SplitCandidate own;
    if (best->IsValid()) own.loss_change = std::max(0.0, Floor(feature, *best));
    find(&own);
    if (Admits(own) && IsBetter(own, *best)) *best = own;
  }

 private:
  /// Returns a loss change at which a split of the feature is not better than `best`, for any rounding of sums.
  double Floor(std::uint32_t feature, SplitCandidate const& best) const {
    auto const noisy = best.loss_change + Of(best.feature);
    auto const own = Of(feature);
    return noisy - own - 1e-12 * (std::fabs(noisy) + std::fabs(own));
  }
};

// A sum of squares of fixed-point gradients, for the noise of random_strength (tree_common.h). It consists
// of integers, so it does not depend on the order of the rows.

/// Adds the high and low bits of the squares separately. A square is below 2^60, so both sums of 2^32 rows are below
/// 2^62.
struct SquareSum {
  static constexpr unsigned kLowBits = 30;

  std::int64_t high = 0;
  std::int64_t low = 0;

  /// Adds the square of a gradient, whose magnitude is below 2^30.
  KAURI_HD void Add(std::int32_t gradient) {
    std::int64_t const square = static_cast<std::int64_t>(gradient) * gradient;
    high += square >> kLowBits;
    low += square & ((std::int64_t{1} << kLowBits) - 1);
  }
  KAURI_HD SquareSum& operator+=(SquareSum other) {
    high += other.high;
    low += other.low;
    return *this;
  }
  /// Returns the sum in squares of the gradients' unit.
  double Value() const {
    return static_cast<double>(high) * static_cast<double>(std::int64_t{1} << kLowBits) + static_cast<double>(low);
  }
};

}  // namespace kauri
