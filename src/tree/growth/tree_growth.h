/// \file State that every builder has while one tree grows, on the CPU and on a device, however splits are found.
///
/// A grower derives from ScalarGrowth, or from VectorGrowth (hist_vector/vector_growth.h) for vector leaves; both
/// derive from TreeGrowth. These classes compute weights and gains from sums. The grower decides which nodes are
/// searched and which of the found splits are made.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "kauri/context.h"
#include "kauri/tree.h"
#include "kauri/tree_builder.h"
#include "kauri/tree_param.h"
#include "tree/constraints/constraints.h"
#include "tree/gain_noise.h"
#include "tree/growth/split_search.h"
#include "tree/growth/tree_common.h"
#include "tree/sampling/sampling.h"
#include "tree/split_rules.h"

namespace kauri {

/// Maximum number of levels when max_depth is 0; also the largest max_depth.
constexpr std::int32_t kDepthCap = 1 << 20;

/// The rules by which one tree grows. Referenced objects must outlive the growth.
struct GrowthRules {
  TreeParam const& param;
  ConstraintRules const& constraints;
  TreePlace const& place;
};

/// A node whose split is searched.
struct ActiveNode {
  std::int32_t id = 0;  ///< in the tree
  FixedSum sum;
};

class TreeGrowth {
 public:
  TreeGrowth(Context const& ctx, GrowthRules const& rules, std::int64_t n_features);

 protected:
  /// Returns whether nodes at this depth are always leaves.
  bool IsDeepest(std::int32_t depth) const { return depth >= max_depth_; }
  /// Returns whether a node with this hessian is worth a search.
  bool MaySplit(double hessian, std::int32_t depth) const {
    return !IsDeepest(depth) && IsEnoughForTwo(hessian, static_cast<double>(param_.min_child_weight));
  }

  ThresholdDraw DrawOf(std::int32_t node) const {
    return param_.extra_trees ? ThresholdDraw{true, columns_.ThresholdKey(node)} : ThresholdDraw{};
  }

  bool HasNoise() const { return param_.random_strength > 0.0F; }
  /// Returns the noise of a node. `least` is gamma, the minimum gain while the tree grows.
  GainNoise NoiseOf(std::int32_t node) const {
    return noise_deviation_ > 0.0 ? GainNoise{noise_deviation_, columns_.NoiseKey(node), param_.gamma} : GainNoise{};
  }

  /// Applies path_smooth, if set, once the leaf of each row is known.
  void Smooth(Span<std::uint8_t const> sampled, Span<std::int32_t const> leaf_of_row) {
    if (param_.path_smooth > 0.0F) SmoothPaths(ctx_, param_.path_smooth, leaf_rate_, sampled, leaf_of_row, &tree_);
  }
  /// Does the same with count_rows(), which returns the rows of the leaves, [n_nodes].
  template <typename CountRows>
  void SmoothBy(CountRows&& count_rows) {
    if (param_.path_smooth > 0.0F) SmoothPaths(param_.path_smooth, leaf_rate_, count_rows(), &tree_);
  }

  /// Sets the cost of a made split's column to 0, unless pruning may take the split back.
  void PayFor(SplitCandidate const& split) {
    if (!costs_.empty() && static_cast<float>(split.loss_change) >= param_.gamma) costs_[split.feature] = 0.0F;
  }

  Context const& ctx_;
  TreeParam const& param_;
  std::int64_t n_rows_;  ///< as in TreePlace
  float leaf_rate_;      ///< LeafRate
  ColumnSampler columns_;
  TreeConstraints constraints_;
  std::vector<float> costs_;      ///< as in TreePlace, but 0 for columns paid by PayFor
  double noise_deviation_ = 0.0;  ///< NoiseDeviation, once the root's sum is known
  Tree tree_;

 private:
  std::int32_t max_depth_;
};

/// Growth of a tree with a scalar in each leaf.
class ScalarGrowth : public TreeGrowth {
 public:
  using Total = NodeTotal;  ///< totals of a node
  using Sum = FixedSum;     ///< element type of histograms

  ScalarGrowth(Context const& ctx, GrowthRules const& rules, GradientUnit unit, std::int64_t n_features);

 protected:
  static GradientUnit UnitsOf(TreeTask const& task) { return task.gradients.unit; }

  bool MaySplit(FixedSum sum, std::int32_t depth) const { return !IsDeepest(depth) && IsEnoughForTwo(sum, gain_); }
  bool MaySplit(NodeTotal const& total, std::int32_t depth) const { return MaySplit(total.sum, depth); }
  /// Compares hessians to choose the sibling with fewer rows when rows are not counted.
  bool WeighsLess(NodeTotal const& left, NodeTotal const& right) const { return left.sum.hessian <= right.sum.hessian; }
  /// Sets the noise of random_strength; call it before SetRoot. sum: sum of all sampled rows, whose hessian is
  /// positive. squares: from SumSquares.
  void SetNoise(TreePlace const& place, FixedSum sum, double squares);
  /// Sets the statistics of node 0, a leaf so far, from the sum of all sampled rows.
  NodeTotal SetRoot(FixedSum sum);
  /// Does the same for a task whose pairs are in memory, and sets the noise of random_strength.
  NodeTotal SetRoot(TreeTask const& task);
  /// Turns a leaf into a split with two leaves, the last two nodes. right_categories: categories that go right at a
  /// categorical split; empty otherwise.
  void Split(std::int32_t node, SplitCandidate const& split, Span<std::int32_t const> right_categories);
  /// Does the same and returns the totals of the left and of the right child.
  std::pair<NodeTotal, NodeTotal> SplitNode(std::int32_t node, NodeTotal const& total, SplitCandidate const& split,
                                            Span<std::int32_t const> right_categories);

  GainParam gain_;

 private:
  NodeTotal TotalOf(std::int32_t node, FixedSum sum) const;
};

}  // namespace kauri
