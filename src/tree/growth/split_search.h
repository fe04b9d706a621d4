/// \file The inputs and results of the searches for splits: totals of a node with scalar leaves, and the split of a
/// level.
#pragma once

#include <cstdint>

#include "kauri/gradient.h"
#include "kauri/host_device.h"
#include "kauri/span.h"
#include "tree/categories/category_split.h"
#include "tree/gain_noise.h"
#include "tree/split_gain.h"
#include "tree/split_rules.h"

namespace kauri {

/// Totals of a node that the search for splits needs.
struct NodeTotal {
  FixedSum sum;
  double gain = 0.0;  ///< NodeGain(sum)
  WeightBounds bounds = {};
  Span<std::int8_t const> signs = {};  ///< [n_features]: monotone constraints; empty: none
  CategoryRules categories = {};
  RowLimit rows = {};  ///< `of_node` is set once the histogram is made, if it is needed
  ThresholdDraw draw = {};
  std::int64_t counts_at = 0;    ///< offset from a cell's sum to its count (hist/hist_workspace.h), if rows are counted
  Span<float const> costs = {};  ///< costs for AddCost
  GainNoise noise = {};

  double GainToBeat(std::uint32_t feature) const { return AddCost(gain, costs, feature); }
};

/// The result of the search for the split of a level of a symmetric tree (hist/level_search.h), on the CPU and on CUDA
/// devices.
struct LevelSplit {
  SplitCandidate best;     ///< loss_change is the score; each node has its own sums of the children
  std::uint32_t code = 0;  ///< the last bin that goes left; for a categorical feature, the bin that goes right
  bool is_categorical = false;
  double noise = 0.0;  ///< noise on the score
};

KAURI_HD bool ComesFirst(LevelSplit const& a, LevelSplit const& b) {
  return IsBetterWithNoise(a.best, a.noise, b.best, b.noise);
}

/// The part of a node that goes left at a split.
struct LeftSide {
  FixedSum sum;
  std::int64_t n_rows = 0;  ///< set only if rows are limited
};

}  // namespace kauri
