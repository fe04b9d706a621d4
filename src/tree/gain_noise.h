/// \file random_strength: noise on the gains that features of a node compete with (growth/noise_deviation.h has its
/// size).
///
/// Each feature is first asked for its best split by the gain, as without noise; the best of these by gain + noise is
/// the node's. What is recorded, what max_leaves orders by and what min_split_loss is asked of stays the gain. A split
/// that would not be made, for its gain, does not compete, so that none is lost to it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "common/random_normal.h"
#include "tree/split_gain.h"

namespace kauri {

/// The order of IsBetter with noise on the loss changes: a total one as well, of splits whose noise follows from their
/// features. Without noise it is that of IsBetter.
KAURI_HD bool IsBetterWithNoise(SplitCandidate const& a, double noise_a, SplitCandidate const& b, double noise_b) {
  if (!a.IsValid() || !b.IsValid()) return IsBetter(a, b);
  double const noisy_a = a.loss_change + noise_a;
  double const noisy_b = b.loss_change + noise_b;
  return noisy_a != noisy_b ? noisy_a > noisy_b : IsBetter(a, b);
}

/// The noise in one node.
struct GainNoise {
  double deviation = 0.0;  ///< 0: none
  std::uint64_t key = 0;   ///< of the node (sampling/sampling.h)
  float least = 0.0F;      ///< what a split must gain to be made, besides kMinLossChange

  KAURI_HD bool IsOn() const { return deviation > 0.0; }
  KAURI_HD double Of(std::uint32_t feature) const { return IsOn() ? deviation * RandomNormal(key, feature) : 0.0; }
  KAURI_HD bool Admits(double loss_change) const {
    float const gain = static_cast<float>(loss_change);
    return gain > kMinLossChange && gain >= least;
  }
  KAURI_HD bool Admits(SplitCandidate const& split) const { return split.IsValid() && Admits(split.loss_change); }
  /// Of splits that are both admitted, or invalid.
  bool IsBetter(SplitCandidate const& a, SplitCandidate const& b) const {
    if (!IsOn() || !a.IsValid() || !b.IsValid()) return kauri::IsBetter(a, b);
    return IsBetterWithNoise(a, Of(a.feature), b, Of(b.feature));
  }
  /// find(SplitCandidate*) replaces a candidate where one of the feature has a larger loss change.
  template <typename Find>
  void Compete(std::uint32_t feature, Find&& find, SplitCandidate* best) const {
    if (!IsOn()) return find(best);
    SplitCandidate own;
    if (best->IsValid()) own.loss_change = std::max(0.0, Floor(feature, *best));
    find(&own);
    if (Admits(own) && IsBetter(own, *best)) *best = own;
  }

 private:
  /// A loss change with which a split at the feature is not better than `best`, however sums are rounded.
  double Floor(std::uint32_t feature, SplitCandidate const& best) const {
    auto const noisy = best.loss_change + Of(best.feature);
    auto const own = Of(feature);
    return noisy - own - 1e-12 * (std::fabs(noisy) + std::fabs(own));
  }
};

}  // namespace kauri
