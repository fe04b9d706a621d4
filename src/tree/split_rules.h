/// \file Decides which splits are made and which nodes are worth a search, and which boundaries and gains the
/// parameters allow: row limits, random thresholds, costs of columns. Used on the CPU and on CUDA devices.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "common/random/random.h"
#include "kauri/host_device.h"
#include "kauri/span.h"
#include "tree/split_gain.h"

namespace kauri {

/// Returns whether a split is worth making: its loss change, rounded to float32, exceeds kMinLossChange.
KAURI_HD bool ReducesLoss(SplitCandidate const& candidate) {
  return candidate.IsValid() && static_cast<float>(candidate.loss_change) > kMinLossChange;
}

/// Returns whether a node with this hessian could have two children that both have min_child_weight. This only saves
/// work and never decides a split: if two hessians reach min_child_weight, their sum is at least kBelowTwice times
/// min_child_weight, however all three are rounded. A hessian is off by at most two roundings of 2^-53 (a sum of more
/// than 2^53 steps, and its product with the unit). The sum over the outputs of a vector has one more rounding per
/// output.
KAURI_HD bool IsEnoughForTwo(double hessian, double min_child_weight) {
  constexpr double kBelowTwice = 2.0 * (1.0 - 1e-9);
  return hessian > 0.0 && hessian >= kBelowTwice * min_child_weight;
}

/// Does the same for a sum: both children have at least one fixed-point step of hessian.
KAURI_HD bool IsEnoughForTwo(FixedSum sum, GainParam const& gain) {
  return sum.hessian > 1 && IsEnoughForTwo(HessianOf(sum, gain), gain.min_child_weight);
}

// Limits the number of rows in the children of a split: min_data_in_leaf.
//
// Counts are numbers of rows that the tree is trained on, regardless of weights; rows left out by sampling do not
// count. The number of rows left of a boundary grows along a feature, so the boundaries that leave enough rows to both
// children are contiguous, and a search gets only these.

struct RowLimit {
  std::int64_t least = 0;    ///< minimum number of rows per child
  std::int64_t of_node = 0;  ///< number of rows of the node

  /// A limit of one row is never active, because every child has a positive hessian and thus a row.
  KAURI_HD bool IsOn() const { return least > 1; }
  KAURI_HD bool Allows(std::int64_t n_left) const { return n_left >= least && of_node - n_left >= least; }
};

/// The boundaries [first, end) of a feature.
struct BoundaryRange {
  std::int64_t first = 0;
  std::int64_t end = 0;

  std::int64_t Size() const { return end > first ? end - first : 0; }
};

/// Returns the boundaries, out of n, that the limit allows. n_left(i): number of rows left of boundary i; it never
/// decreases.
template <typename CountLeft>
BoundaryRange AllowedBoundaries(RowLimit const& limit, std::int64_t n, CountLeft&& n_left) {
  /// Returns the first boundary with at least n_rows rows on its left.
  auto const first_with = [&](std::int64_t n_rows) {
    std::int64_t first = 0;
    for (auto end = n; first < end;) {
      auto const middle = first + (end - first) / 2;
      if (n_left(middle) < n_rows) {
        first = middle + 1;
      } else {
        end = middle;
      }
    }
    return first;
  };
  return {first_with(limit.least), first_with(limit.of_node - limit.least + 1)};
}

// extra_trees: a node considers one random threshold per feature.
//
// The draw is a function of seed, tree, node and feature (sampling/sampling.h), and of the number of thresholds or the
// range of values. It is the same for both directions of the missing rows. Separating the missing rows from all others
// has no threshold and stays an additional candidate.

struct ThresholdDraw {
  bool is_on = false;
  std::uint64_t key = 0;  ///< key of the node

  /// Returns one boundary out of n, or all if nothing is drawn.
  KAURI_HD BoundaryRange RangeOf(std::uint32_t feature, std::int64_t n) const {
    if (!is_on || n <= 0) return {0, n};
    auto const drawn = std::int64_t{RandomBelow(key, feature, static_cast<std::uint32_t>(n))};
    return {drawn, drawn + 1};
  }
  /// Returns a number in [low, high), up to rounding.
  KAURI_HD double Between(std::uint32_t feature, float low, float high) const {
    auto const share = RandomUniform(key, feature);
    return (1.0 - share) * static_cast<double>(low) + share * static_cast<double>(high);
  }
};

/// Conditions on the splits of a node other than their gain.
struct SplitLimits {
  RowLimit rows = {};
  ThresholdDraw draw = {};

  KAURI_HD bool IsOn() const { return rows.IsOn() || draw.is_on; }
};

// The gain that a split must exceed if columns have costs (feature_cost.h).

/// Returns the gain of a node plus the cost of splitting at the feature. The children must exceed this gain to reduce
/// the loss. costs: open costs, [n_features]; nullptr if there are none.
KAURI_HD double AddCost(double node_gain, float const* costs, std::uint32_t feature) {
  return costs == nullptr ? node_gain : node_gain + static_cast<double>(costs[feature]);
}

/// Does the same; an empty span means no costs.
inline double AddCost(double node_gain, Span<float const> costs, std::uint32_t feature) {
  return AddCost(node_gain, costs.empty() ? nullptr : costs.data(), feature);
}

// Thresholds of the exact method beyond all values of a segment, which separate its rows from the missing ones.

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
