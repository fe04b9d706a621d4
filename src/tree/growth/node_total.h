/// \file Totals of a node with scalar leaves that the search for splits needs.
#pragma once

#include <cstdint>

#include "kauri/gradient.h"
#include "kauri/span.h"
#include "tree/categories/category_split.h"
#include "tree/gain_noise.h"
#include "tree/row_limit.h"
#include "tree/split_cost.h"
#include "tree/split_gain.h"
#include "tree/threshold_draw.h"

namespace kauri {

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

}  // namespace kauri
