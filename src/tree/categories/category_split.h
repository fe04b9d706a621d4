/// \file Finds the best split of a node at a categorical feature: the set of categories that go right.
///
/// Vocabulary. A feature has n categories (FillGaps of data/categories/categories.h), identified here by their index 0
/// .. n - 1 in ascending order. An entry is a category with rows in the node. The weight of a category is the weight of
/// a leaf with its rows alone (LeafWeight: 0 without rows or with less hessian than min_child_weight), with cat_smooth
/// added to lambda. It is 0 if the category has less hessian than cat_smooth rows.
///
/// The algorithm (XGBoost's rules; W. Fisher, "On grouping for maximum homogeneity", 1958, for why sorting suffices).
/// With fewer categories than max_onehot, each category is tried against the others, in ascending order.
/// 1. Its rows go right, the missing ones left.
/// 2. Its rows and the missing ones go right.
/// Otherwise the categories are sorted by (weight as float32, index) and divided into two parts; the lower part goes
/// right.
/// 1. The 1, 2, .. max_partition - 1 lowest categories go right, and the missing rows left.
/// 2. All but the 1, 2, .. max_partition - 1 highest categories go right, and the missing rows, too.
/// With min_data_per_group, a part is tried only if it has the hessian of that many rows more than the part tried
/// before, and leaves as much (LightGBM's cat_smooth, cat_l2 and min_data_per_group; LightGBM also estimates rows from
/// hessians). The first of equal candidates wins. A category without rows in the node goes where its position in the
/// order indicates; a value that is not one of the n categories goes left.
#pragma once

#include <cstdint>
#include <vector>

#include "tree/split_gain.h"
#include "tree/split_rules.h"

namespace kauri {

struct CategoryRules {
  std::int32_t max_onehot = 4;      ///< max_cat_to_onehot
  std::int32_t max_partition = 64;  ///< max_cat_threshold
};

struct CategoryEntry {
  std::int32_t index;
  FixedSum sum;         ///< not empty
  float weight = 0.0F;  ///< set by the functions below
};

/// A sum of rows and their number.
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

/// A CategoryEntry with row counts.
struct CountedCategory {
  std::int32_t index;
  CountedSum sum;  ///< sum of at least one row
  float weight = 0.0F;
};

/// A categorical feature in one node.
struct CategoryNode {
  std::uint32_t feature = 0;
  std::int32_t n_categories = 0;
  FixedSum total;          ///< sum of the node, including missing rows
  double node_gain = 0.0;  ///< NodeGain(total) plus the cost of the feature
  WeightBounds bounds;     ///< weight bounds of the node
};

/// Returns the weight by which categories are sorted.
KAURI_HD float CategoryWeight(FixedSum sum, GainParam const& param) {
  if (HessianOf(sum, param) < param.categories.least_hessian) return 0.0F;
  auto smoothed = param;
  smoothed.lambda += param.categories.smooth;
  return static_cast<float>(LeafWeight(sum, smoothed));
}

/// Returns the loss change if rows of this sum go right; minus infinity if a side has too little hessian.
KAURI_HD double CategoryLossChange(FixedSum right, CategoryNode const& node, GainParam const& param) {
  auto const left = node.total - right;
  if (!HasEnoughHessian(left, param) || !HasEnoughHessian(right, param)) return -kInfinity;
  return SplitGain(left, right, OfCategories(param), node.bounds, 0) - node.node_gain;
}

/// Returns the best candidate whose loss change exceeds `floor`, or an invalid one. Its threshold is the index of the
/// single category, or the number of categories that go right. Entries come in ascending order of index and are
/// reordered.
SplitCandidate FindCategorySplit(GainParam const& param, CategoryRules const& rules, CategoryNode const& node,
                                 double floor, std::vector<CategoryEntry>* entries);
/// Does the same within the limits. Entry is CountedCategory if rows are limited.
template <typename Entry>
SplitCandidate FindCategorySplit(GainParam const& param, CategoryRules const& rules, CategoryNode const& node,
                                 SplitLimits const& limits, double floor, std::vector<Entry>* entries);

/// Returns the categories that go right at that candidate, ascending. categories: [n], ascending, by index.
std::vector<std::int32_t> RightCategories(GainParam const& param, CategoryRules const& rules,
                                          std::vector<std::int32_t> const& categories, SplitCandidate const& candidate,
                                          std::vector<CategoryEntry>* entries);

}  // namespace kauri
