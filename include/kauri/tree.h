/// \file One regression tree, as arrays over its nodes. Node 0 is the root; children come after their parent.
///
/// A row goes left at a numerical split iff value < threshold; a missing value (NaN) goes to the default side. At a
/// categorical split the stored categories go right, all others (also invalid ones) left, missing to the default side.
///
/// A leaf holds one number, or a vector of n_outputs numbers: one for every output of the model. A leaf with one number
/// may also have slopes (linear_leaves.h); the number is then its constant.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/linear_leaves.h"
#include "kauri/span.h"

namespace kauri {

constexpr std::int32_t kNoNode = -1;

/// Exclusive upper bound of categories: float32 counts exactly up to here, and XGBoost refuses larger ones.
constexpr std::int32_t kCategoryLimit = 1 << 24;

class Tree {
 public:
  Tree();                               ///< a single leaf of value 0
  explicit Tree(std::int32_t outputs);  ///< a single leaf of `outputs` zeros

  std::int32_t NumNodes() const { return static_cast<std::int32_t>(left.size()); }
  std::int32_t NumLeaves() const;
  std::int32_t MaxDepth() const;  ///< 0 for a single leaf
  bool IsLeaf(std::int32_t node) const { return left[node] == kNoNode; }
  bool HasCategorical() const { return !categories.empty(); }
  bool IsCategorical(std::int32_t node) const { return is_categorical[node] != 0; }
  Span<std::int32_t const> CategoriesOf(std::int32_t node) const;
  bool HasVectorLeaves() const { return n_outputs > 1; }
  bool HasLinearLeaves() const { return !linear.IsEmpty(); }
  /// Returns the prediction of a leaf: [n_outputs]; for a linear leaf its constant.
  Span<float const> LeafValues(std::int32_t leaf) const;

  struct Split {
    std::uint32_t feature = 0;
    float threshold = 0.0F;
    bool default_left = false;
    float loss_change = 0.0F;
    /// ascending; if not empty, the split is categorical and has no threshold
    Span<std::int32_t const> categories = {};
  };
  /// Turns the leaf `node` into a split with two new leaves, appended as (left, right).
  void ExpandNode(std::int32_t node, Split const& split);
  /// Sets a node's weight, before the learning rate, and its sum of hessians, the cover.
  void SetNodeStatistics(std::int32_t node, float weight, float hessian);
  void SetLeafValue(std::int32_t node, float value, std::int32_t output = 0);

  /// \throws Error(kModel) unless this is a tree: equal lengths, children in range, no cycle, one parent each, features
  /// below n_features, finite leaf values and thresholds, row counts not negative, linear leaves as described in
  /// linear_leaves.h.
  void Validate(std::int64_t n_features) const;

  // [n_nodes] each
  std::vector<std::int32_t> left;  ///< kNoNode marks a leaf
  std::vector<std::int32_t> right;
  std::vector<std::int32_t> parent;  ///< kNoNode for the root
  std::vector<std::uint32_t> split_feature;
  std::vector<float> split_value;  ///< threshold of a split, value of a leaf (learning rate applied; 0 if a vector)
  std::vector<std::uint8_t> default_left;
  std::vector<std::uint8_t> is_categorical;
  std::vector<float> base_weight;  ///< with vector leaves [n_nodes, any number]
  std::vector<float> loss_change;
  std::vector<float> sum_hessian;
  // Categorical splits only: node `n` owns categories[category_begin[n] .. + category_count[n]), ascending.
  // category_begin and category_count are empty while the tree has no categorical split.
  std::vector<std::int64_t> category_begin;
  std::vector<std::int64_t> category_count;
  std::vector<std::int32_t> categories;

  std::int32_t n_outputs = 1;
  std::vector<float> leaf_vector;  ///< [n_nodes, n_outputs], 0 for splits; empty unless n_outputs > 1
  LinearLeaves linear;
  std::vector<std::int64_t> row_count;  ///< [n_nodes], rows of a data set that reach the node; empty: never counted
};

}  // namespace kauri
