/// \file Growth of a tree with a vector in each leaf. Gains are computed by vector_gain.h.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tree/growth/tree_growth.h"
#include "tree/hist_vector/vector_gain.h"

namespace kauri {

/// The totals of a node.
struct VectorTotal {
  std::vector<std::int64_t> sums;              ///< [stride]
  double gain = 0.0;                           ///< VectorGain(sums)
  std::vector<WeightBounds> bounds;            ///< [n_outputs]; empty without monotone constraints
  std::vector<std::int32_t> right_categories;  ///< categories of the node's best split, if that is categorical
  ThresholdDraw draw;
  Span<float const> costs;  ///< costs for AddCost
  GainNoise noise;
  std::vector<std::int64_t> left;  ///< [stride]: sums of the left child of the node's best split, once known

  double GainToBeat(std::uint32_t feature) const { return AddCost(gain, costs, feature); }
};

class VectorGrowth : public TreeGrowth {
 public:
  using Total = VectorTotal;
  using Sum = std::int64_t;  ///< element type of histograms

  VectorGrowth(Context const& ctx, GrowthRules const& rules, GradientTableView const& table, std::int64_t n_features);

 protected:
  static GradientTableView const& UnitsOf(TreeTask const& task) { return task.table; }

  bool MaySplit(VectorTotal const& total, std::int32_t depth) const;
  /// Compares hessians to choose the sibling with fewer rows when rows are not counted.
  bool WeighsLess(VectorTotal const& left, VectorTotal const& right) const {
    auto const place = gain_.HessianPlace(0);
    return left.sums[place] <= right.sums[place];
  }
  /// Sets the statistics of node 0, a leaf so far, from the sums of all sampled rows.
  VectorTotal SetRoot(std::vector<std::int64_t> sums);
  /// Does the same for a task whose table is in memory, and sets the noise of random_strength.
  VectorTotal SetRoot(TreeTask const& task);
  /// Sets the noise of random_strength (tree_common.h) from the root's sums; call it before SetRoot. squares:
  /// SumSquares of each output.
  void SetNoise(TreePlace const& place, std::vector<double> const& squares, std::vector<std::int64_t> const& sums);
  /// Turns a leaf into a split with two leaves, the last two nodes, and returns the totals of the left and of the right
  /// child. right_categories: categories that go right at a categorical split; empty otherwise.
  std::pair<VectorTotal, VectorTotal> SplitNode(std::int32_t node, VectorTotal const& total,
                                                SplitCandidate const& split, Span<std::int32_t const> right_categories);

  VectorGainParam gain_;

 private:
  void SetNode(std::int32_t node, VectorTotal const& total, Span<double const> weights);
};

}  // namespace kauri
