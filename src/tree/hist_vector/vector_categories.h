/// \file Splits at categorical features of nodes with vector leaves: the candidates of category_split.h, where the
/// weight of a category is the product of its vector of weights and the node's, by XGBoost 3.4's rule: categories are
/// put in order along the direction in which the node moves.
#pragma once

#include <cstdint>
#include <vector>

#include "data/sketch/quantile_sketch.h"
#include "tree/categories/category_split.h"
#include "tree/hist_vector/vector_split.h"

namespace kauri {

/// A categorical feature in one node; cells: its part of the node's histogram.
struct VectorCategories {
  VectorGainParam const& param;
  QuantileCuts const& cuts;
  CategoryRules const& rules;
  VectorCells const& cells;
  VectorTotal const& node;
};

/// Replaces *best where a split is better (IsBetter), but for its sums; call it for ascending features.
void FindVectorCategories(VectorCategories const& feature, SplitCandidate* best);

/// The categories that go right at such a split.
std::vector<std::int32_t> RightVectorCategories(VectorCategories const& feature, SplitCandidate const& split);

/// Sets `left` of the node of `cells`, whose best split is at the feature. goes_right: [n_bins].
void SumLeft(VectorCells const& cells, SplitCandidate const& split, Span<std::uint8_t const> goes_right,
             VectorTotal* node);

/// Sets what a node must know of its best split, which is at a categorical feature: its categories and `left`.
void DescribeCategories(VectorCategories const& feature, SplitCandidate const& split, VectorTotal* node);

}  // namespace kauri
