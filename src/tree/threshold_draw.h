/// \file extra_trees: of a feature's thresholds, a node is asked about one that is drawn.
///
/// The draw is a function of seed, tree, node and feature (sampling/sampling.h), and of how many thresholds there are,
/// or between which values. It holds for either way of the missing rows; to part these from all others, which is no
/// threshold, stays a candidate beside it.
#pragma once

#include <cstdint>

#include "common/random.h"
#include "kauri/host_device.h"
#include "tree/row_limit.h"

namespace kauri {

struct ThresholdDraw {
  bool is_on = false;
  std::uint64_t key = 0;  ///< of the node

  /// One of n, or all when nothing is drawn.
  KAURI_HD BoundaryRange RangeOf(std::uint32_t feature, std::int64_t n) const {
    if (!is_on || n <= 0) return {0, n};
    auto const drawn = std::int64_t{RandomBelow(key, feature, static_cast<std::uint32_t>(n))};
    return {drawn, drawn + 1};
  }
  /// A number from low on, below high but for rounding.
  KAURI_HD double Between(std::uint32_t feature, float low, float high) const {
    auto const share = RandomUniform(key, feature);
    return (1.0 - share) * static_cast<double>(low) + share * static_cast<double>(high);
  }
};

/// What is asked of the splits of a node besides what they gain.
struct SplitLimits {
  RowLimit rows = {};
  ThresholdDraw draw = {};

  KAURI_HD bool IsOn() const { return rows.IsOn() || draw.is_on; }
};

}  // namespace kauri
