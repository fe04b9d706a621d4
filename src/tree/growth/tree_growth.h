/// \file What every builder has while one tree grows, on the CPU and on a device, whatever finds its splits.
///
/// A grower derives from ScalarGrowth, or from VectorGrowth (hist_vector/vector_growth.h) where leaves hold vectors;
/// both derive from TreeGrowth. How sums become weights and gains is theirs; which nodes are looked at, and which of
/// the splits found are made, is the grower's.
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
#include "tree/growth/node_total.h"
#include "tree/growth/path_smooth.h"
#include "tree/growth/split_rules.h"
#include "tree/growth/tree_common.h"
#include "tree/sampling/sampling.h"
#include "tree/threshold_draw.h"

namespace kauri {

/// Levels that a tree may have when max_depth is 0; the most that max_depth can be.
constexpr std::int32_t kDepthCap = 1 << 20;

/// What one tree is grown by. What it refers to must outlive the growth.
struct GrowthRules {
  TreeParam const& param;
  ConstraintRules const& constraints;
  TreePlace const& place;
};

/// A node whose split is looked for.
struct ActiveNode {
  std::int32_t id = 0;  ///< in the tree
  FixedSum sum;
};

class TreeGrowth {
 public:
  TreeGrowth(Context const& ctx, GrowthRules const& rules, std::int64_t n_features);

 protected:
  /// Whether nodes at this depth are leaves whatever they have.
  bool IsDeepest(std::int32_t depth) const { return depth >= max_depth_; }
  /// Whether a node with this hessian is worth a search.
  bool MaySplit(double hessian, std::int32_t depth) const {
    return !IsDeepest(depth) && IsEnoughForTwo(hessian, static_cast<double>(param_.min_child_weight));
  }

  ThresholdDraw DrawOf(std::int32_t node) const {
    return param_.extra_trees ? ThresholdDraw{true, columns_.ThresholdKey(node)} : ThresholdDraw{};
  }

  bool HasNoise() const { return param_.random_strength > 0.0F; }
  /// With `least` as split gains are asked for while the tree grows.
  GainNoise NoiseOf(std::int32_t node) const {
    return noise_deviation_ > 0.0 ? GainNoise{noise_deviation_, columns_.NoiseKey(node), param_.gamma} : GainNoise{};
  }

  /// As path_smooth asks, once each row is told its leaf.
  void Smooth(Span<std::uint8_t const> sampled, Span<std::int32_t const> leaf_of_row) {
    if (param_.path_smooth > 0.0F) SmoothPaths(ctx_, param_.path_smooth, leaf_rate_, sampled, leaf_of_row, &tree_);
  }
  /// The same by count_rows(), which gives the rows of the leaves: [n_nodes].
  template <typename CountRows>
  void SmoothBy(CountRows&& count_rows) {
    if (param_.path_smooth > 0.0F) SmoothPaths(param_.path_smooth, leaf_rate_, count_rows(), &tree_);
  }

  /// The column of a split that is made costs nothing any more, unless pruning may take the split back.
  void PayFor(SplitCandidate const& split) {
    if (!costs_.empty() && static_cast<float>(split.loss_change) >= param_.gamma) costs_[split.feature] = 0.0F;
  }

  Context const& ctx_;
  TreeParam const& param_;
  std::int64_t n_rows_;  ///< as in TreePlace
  float leaf_rate_;      ///< LeafRate
  ColumnSampler columns_;
  TreeConstraints constraints_;
  std::vector<float> costs_;      ///< as in TreePlace, and 0 for what PayFor was told of
  double noise_deviation_ = 0.0;  ///< NoiseDeviation, once the root's sum is known
  Tree tree_;

 private:
  std::int32_t max_depth_;
};

/// Growth of a tree with a number in each leaf.
class ScalarGrowth : public TreeGrowth {
 public:
  using Total = NodeTotal;  ///< what is known of a node
  using Sum = FixedSum;     ///< what histograms are made of

  ScalarGrowth(Context const& ctx, GrowthRules const& rules, GradientUnit unit, std::int64_t n_features);

 protected:
  static GradientUnit UnitsOf(TreeTask const& task) { return task.gradients.unit; }

  bool MaySplit(FixedSum sum, std::int32_t depth) const { return !IsDeepest(depth) && IsEnoughForTwo(sum, gain_); }
  bool MaySplit(NodeTotal const& total, std::int32_t depth) const { return MaySplit(total.sum, depth); }
  /// Which of two siblings is taken for the one with fewer rows where those are not counted.
  bool WeighsLess(NodeTotal const& left, NodeTotal const& right) const { return left.sum.hessian <= right.sum.hessian; }
  /// Beforehand, where random_strength asks for it: of the sum of all sampled rows, whose hessian is positive, and
  /// SumSquares.
  void SetNoise(TreePlace const& place, FixedSum sum, double squares);
  /// Makes node 0, so far a leaf, of the sum of all sampled rows.
  NodeTotal SetRoot(FixedSum sum);
  /// The same of a task whose pairs are in memory; what random_strength asks for is known from then on.
  NodeTotal SetRoot(TreeTask const& task);
  /// Turns a leaf into a split with two leaves, the two last nodes. right_categories: those that go right where the
  /// split is at a categorical feature; empty otherwise.
  void Split(std::int32_t node, SplitCandidate const& split, Span<std::int32_t const> right_categories);
  /// The same; returns what is known of the left and of the right child.
  std::pair<NodeTotal, NodeTotal> SplitNode(std::int32_t node, NodeTotal const& total, SplitCandidate const& split,
                                            Span<std::int32_t const> right_categories);

  GainParam gain_;

 private:
  NodeTotal TotalOf(std::int32_t node, FixedSum sum) const;
};

}  // namespace kauri
