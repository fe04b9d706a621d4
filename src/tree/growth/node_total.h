/// \file What the search for splits needs to know of a node whose leaves hold numbers.
#pragma once

#include <cstdint>

#include "kauri/gradient.h"
#include "kauri/span.h"
#include "tree/categories/category_split.h"
#include "tree/row_limit.h"
#include "tree/split_gain.h"
#include "tree/threshold_draw.h"

namespace kauri {

/// The gain of a node, and the cost of splitting it at the feature: what its children must gain before its loss changes
/// for the better. costs: [n_features], open (feature_cost.h); empty: none.
inline double AddCost(double node_gain, Span<float const> costs, std::uint32_t feature) {
  return costs.empty() ? node_gain : node_gain + static_cast<double>(costs[feature]);
}

struct NodeTotal {
  FixedSum sum;
  double gain = 0.0;  ///< NodeGain(sum)
  WeightBounds bounds = {};
  Span<std::int8_t const> signs = {};  ///< [n_features]: monotone constraints; empty: none
  CategoryRules categories = {};
  RowLimit rows = {};  ///< `of_node` is known where it is asked for, once the histogram is made
  ThresholdDraw draw = {};
  std::int64_t counts_at = 0;    ///< from a cell's sum to its count (histogram/cell_counts.h), where rows are counted
  Span<float const> costs = {};  ///< of AddCost

  double GainToBeat(std::uint32_t feature) const { return AddCost(gain, costs, feature); }
};

}  // namespace kauri
