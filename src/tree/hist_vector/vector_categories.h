/// \file Finds splits at categorical features of nodes with vector leaves, among the candidates of category_split.h.
/// The weight of a category is the scalar product of its weights and the node's weights (the rule of XGBoost 3.4):
/// categories are sorted along the direction in which the node moves.
#pragma once

#include <cstdint>
#include <vector>

#include "data/sketch/quantile_sketch.h"
#include "tree/categories/category_split.h"
#include "tree/hist_vector/vector_split.h"

namespace kauri {

/// A categorical feature in one node. cells: its part of the node's histogram.
struct VectorCategories {
  VectorGainParam const& param;
  QuantileCuts const& cuts;
  CategoryRules const& rules;
  VectorCells const& cells;
  VectorTotal const& node;
};

/// Replaces *best if a split is better (IsBetter), without setting its sums. Callers pass the features in ascending
/// order.
void FindVectorCategories(VectorCategories const& feature, SplitCandidate* best);

/// Returns the categories that go right at such a split.
std::vector<std::int32_t> RightVectorCategories(VectorCategories const& feature, SplitCandidate const& split);

/// Sets `left` of the node of `cells`, whose best split is at this feature. goes_right: [n_bins].
void SumLeft(VectorCells const& cells, SplitCandidate const& split, Span<std::uint8_t const> goes_right,
             VectorTotal* node);

/// Sets the categories and `left` of a node's best split, which is categorical.
void DescribeCategories(VectorCategories const& feature, SplitCandidate const& split, VectorTotal* node);

}  // namespace kauri
