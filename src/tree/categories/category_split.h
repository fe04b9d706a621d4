/// \file The best split of a node on a categorical feature: which of its categories go right.
///
/// Vocabulary. A feature has n categories (FillGaps of data/categories/categories.h), known here by their index 0 .. n
/// - 1 in ascending order. An entry is a category with rows in the node. The weight of a category is what a leaf of its
/// rows alone would weigh (LeafWeight: 0 without rows or with less hessian than min_child_weight), with cat_smooth
/// added to lambda, and 0 with less hessian than cat_smooth rows have.
///
/// The algorithm (XGBoost's rules; W. Fisher, "On grouping for maximum homogeneity", 1958, for why sorting suffices).
/// Fewer categories than max_onehot: each category against the others, in ascending order.
/// 1. Its rows go right, the missing ones left.
/// 2. Its rows and the missing ones go right.
/// Otherwise the categories are put in order of (weight as float32, index) and cut in two: the lower part goes right.
/// 1. The parts of 1, 2, .. max_partition - 1 lowest categories, the missing rows going left.
/// 2. The other way round: those but the 1, 2, .. max_partition - 1 highest, the missing rows going right.
/// With min_data_per_group, a part is tried only when it has the hessian of that many rows more than the one tried
/// before it, and leaves as much (LightGBM's cat_smooth, cat_l2 and min_data_per_group; there, too, hessians tell
/// rows). Of equal candidates the first stays. A category without rows in the node goes where its place in the order
/// says, one that is none of the n left.
#pragma once

#include <cstdint>
#include <vector>

#include "tree/split_gain.h"
#include "tree/threshold_draw.h"

namespace kauri {

struct CategoryRules {
  std::int32_t max_onehot = 4;      ///< max_cat_to_onehot
  std::int32_t max_partition = 64;  ///< max_cat_threshold
};

struct CategoryEntry {
  std::int32_t index;
  FixedSum sum;         ///< not nothing
  float weight = 0.0F;  ///< filled in by the functions below
};

/// A sum of rows, and how many they are.
struct CountedSum {
  FixedSum sum;
  std::int64_t n_rows = 0;

  CountedSum& operator+=(CountedSum const& other) {
    sum += other.sum;
    n_rows += other.n_rows;
    return *this;
  }
  CountedSum operator-(CountedSum const& other) const { return {sum - other.sum, n_rows - other.n_rows}; }
};

/// A CategoryEntry where rows are counted.
struct CountedCategory {
  std::int32_t index;
  CountedSum sum;  ///< of at least one row
  float weight = 0.0F;
};

/// A categorical feature in one node.
struct CategoryNode {
  std::uint32_t feature = 0;
  std::int32_t n_categories = 0;
  FixedSum total;          ///< of the node, missing rows included
  double node_gain = 0.0;  ///< NodeGain(total), and the cost of the feature
  WeightBounds bounds;     ///< of the node
};

/// What categories are put in order by.
KAURI_HD float CategoryWeight(FixedSum sum, GainParam const& param) {
  if (HessianOf(sum, param) < param.categories.least_hessian) return 0.0F;
  auto smoothed = param;
  smoothed.lambda += param.categories.smooth;
  return static_cast<float>(LeafWeight(sum, smoothed));
}

/// The loss change when rows of this sum go right; minus infinity where a side has too little hessian.
KAURI_HD double CategoryLossChange(FixedSum right, CategoryNode const& node, GainParam const& param) {
  auto const left = node.total - right;
  if (!HasEnoughHessian(left, param) || !HasEnoughHessian(right, param)) return -kInfinity;
  return SplitGain(left, right, OfCategories(param), node.bounds, 0) - node.node_gain;
}

/// The best candidate whose loss change is above `floor`, an invalid one when there is none. Its threshold is the index
/// of the lone category, or how many categories go right. entries: ascending by index; they are put in another order.
SplitCandidate FindCategorySplit(GainParam const& param, CategoryRules const& rules, CategoryNode const& node,
                                 double floor, std::vector<CategoryEntry>* entries);
/// The same among those within the limits; with CountedCategory where rows are limited.
template <typename Entry>
SplitCandidate FindCategorySplit(GainParam const& param, CategoryRules const& rules, CategoryNode const& node,
                                 SplitLimits const& limits, double floor, std::vector<Entry>* entries);

/// The categories that go right at that candidate: `categories` [n], ascending, by index. The result ascends.
std::vector<std::int32_t> RightCategories(GainParam const& param, CategoryRules const& rules,
                                          std::vector<std::int32_t> const& categories, SplitCandidate const& candidate,
                                          std::vector<CategoryEntry>* entries);

}  // namespace kauri
