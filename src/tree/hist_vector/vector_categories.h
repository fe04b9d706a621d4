/// \file Splits at categorical features of nodes with vector leaves: the candidates of category_split.h, where the
/// weight of a category is the product of its vector of weights and the node's, by XGBoost 3.4's rule: categories are
/// put in order along the direction in which the node moves.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "tree/categories/category_split.h"
#include "tree/hist_vector/vector_split.h"

namespace kauri {

/// A categorical feature in one node; cells: its part of the node's histogram.
struct VectorCategories {
  VectorGainParam const& param;
  BinMatrix const& bins;
  CategoryRules const& rules;
  VectorCells const& cells;
  VectorTotal const& node;
};

/// Replaces *best where a split is better (IsBetter), but for its sums; call it for ascending features.
void FindVectorCategories(VectorCategories const& feature, SplitCandidate* best);

/// The categories that go right at such a split.
std::vector<std::int32_t> RightVectorCategories(VectorCategories const& feature, SplitCandidate const& split);

}  // namespace kauri
