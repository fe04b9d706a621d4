/// \file Growth of a tree with a vector in each leaf; vector_gain.h has the gains.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tree/growth/tree_growth.h"
#include "tree/hist_vector/vector_gain.h"

namespace kauri {

/// What is known of a node.
struct VectorTotal {
  std::vector<std::int64_t> sums;              ///< [stride]
  double gain = 0.0;                           ///< VectorGain(sums)
  std::vector<WeightBounds> bounds;            ///< [n_outputs]; empty without monotone constraints
  std::vector<std::int32_t> right_categories;  ///< at the node's best split, if that is at a categorical feature
  ThresholdDraw draw;
  Span<float const> costs;  ///< of AddCost
  GainNoise noise;
  std::vector<std::int64_t> left;  ///< [stride]: of the left child of the node's best split, once it is known

  double GainToBeat(std::uint32_t feature) const { return AddCost(gain, costs, feature); }
};

class VectorGrowth : public TreeGrowth {
 public:
  using Total = VectorTotal;
  using Sum = std::int64_t;  ///< what histograms are made of

  VectorGrowth(Context const& ctx, GrowthRules const& rules, GradientTableView const& table, std::int64_t n_features);

 protected:
  static GradientTableView const& UnitsOf(TreeTask const& task) { return task.table; }

  bool MaySplit(VectorTotal const& total, std::int32_t depth) const;
  /// Which of two siblings is taken for the one with fewer rows where those are not counted.
  bool WeighsLess(VectorTotal const& left, VectorTotal const& right) const {
    auto const place = gain_.HessianPlace(0);
    return left.sums[place] <= right.sums[place];
  }
  /// Makes node 0, so far a leaf, of the sums of all sampled rows.
  VectorTotal SetRoot(std::vector<std::int64_t> sums);
  /// Beforehand, where random_strength asks for it: as noise_deviation.h has it, from the root's sums. squares: of each
  /// output, SumSquares.
  void SetNoise(TreePlace const& place, std::vector<double> const& squares, std::vector<std::int64_t> const& sums);
  /// Turns a leaf into a split with two leaves, the two last nodes; returns what is known of the left and of the right
  /// child. right_categories: those that go right where the split is at a categorical feature; empty otherwise.
  std::pair<VectorTotal, VectorTotal> SplitNode(std::int32_t node, VectorTotal const& total,
                                                SplitCandidate const& split, Span<std::int32_t const> right_categories);

  VectorGainParam gain_;

 private:
  void SetNode(std::int32_t node, VectorTotal const& total, Span<double const> weights);
};

}  // namespace kauri
