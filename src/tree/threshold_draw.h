/// \file extra_trees: a node considers one random threshold per feature.
///
/// The draw is a function of seed, tree, node and feature (sampling/sampling.h), and of the number of thresholds or the
/// range of values. It is the same for both directions of the missing rows. Separating the missing rows from all others
/// has no threshold and stays an additional candidate.
#pragma once

#include <cstdint>

#include "common/random/random.h"
#include "kauri/host_device.h"
#include "tree/row_limit.h"

namespace kauri {

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

}  // namespace kauri
