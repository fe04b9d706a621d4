/// \file Finds the split that all nodes of a level share, among random thresholds, for vector leaves.
///
/// Vocabulary as in hist/level_search.h: a node can make a split if it may use its feature and both children have rows,
/// and enough hessian and rows. The score of a split is the sum of loss change minus gamma over the nodes that can make
/// it, added up in node order, minus the cost of the feature. With random_strength, the comparison of scores adds the
/// feature's noise of all nodes that may use it. Among equal scores the lower feature wins, then the condition that
/// level_conditions.h lists first.
///
/// No histograms are made: a level with one threshold per feature needs one or two sums per node and feature. Cost per
/// node: two divisions for each output and condition. Nodes are processed in chunks to bound memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "kauri/context.h"
#include "kauri/span.h"
#include "tree/growth/hist_growth.h"
#include "tree/hist_vector/level_conditions.h"
#include "tree/hist_vector/vector_gain.h"
#include "tree/hist_vector/vector_growth.h"

namespace kauri {

class DrawnLevelSearch {
 public:
  using Node = GrowingNode<VectorGrowth>;
  /// Returns the sums of some nodes of a level, ascending: [n_nodes, n_sums, conditions.Width()], valid until the next
  /// call.
  using Summer = std::function<std::int64_t const*(LevelConditions const& conditions, Span<Node const> nodes)>;

  /// The rules of one tree, by reference. signs, costs: [n_features], or empty.
  struct Rules {
    QuantileCuts const& cuts;
    VectorGainParam const& gain;
    double gamma;
    Span<std::int8_t const> signs;
    Span<float const> costs;
  };

  DrawnLevelSearch(Rules const& rules, PlainColumns plain) : rules_(rules), plain_(std::move(plain)) {}

  /// Returns the number of integers per row of the gradient table that are summed.
  std::int64_t NumSums() const { return rules_.gain.RowsPlace() + (rules_.gain.least_rows > 1 ? 1 : 0); }
  /// Returns the best split of a level. level: its open nodes. features: the features of the tree, ascending. The
  /// result is invalid if no score exceeds kMinLossChange.
  LevelSplit Find(Context const& ctx, Span<Node const> level, ThresholdDraw const& draw,
                  Span<std::uint32_t const> features, Summer const& sum);
  /// Makes the found split the node's best and sets the sums that go left. Returns false, leaving the node without a
  /// split, if the node cannot make it. place: position of the node in the level.
  bool MakesSplit(LevelSplit const& split, std::size_t place, Node* node) const;

 private:
  /// Scratch of one thread.
  struct Scratch {
    std::vector<double> sums;        ///< BoundarySums
    std::vector<std::int64_t> left;  ///< [n_sums]
  };
  /// Some nodes and their sums for the conditions.
  struct Answers {
    LevelConditions const& conditions;
    Span<Node const> nodes;
    std::int64_t const* sums;
  };

  bool CanHold(double hessian) const { return hessian > 0.0 && rules_.gain.HasEnough(hessian); }
  bool MayUse(Node const& node, std::uint32_t feature) const;
  void ScoreChunk(Context const& ctx, Answers const& chunk);
  void ScoreNode(Answers const& of_node, Scratch* scratch, double* losses) const;
  void ScorePlain(Answers const& of_node, Scratch* scratch, double* losses) const;
  double LossOf(LevelSplit const& split, VectorTotal const& node, SumRow left) const;
  LevelCondition BestOf(Span<Node const> level, LevelConditions const& conditions) const;

  Rules rules_;
  PlainColumns plain_;
  std::size_t n_features_ = 0;      ///< features of the tree
  std::vector<Scratch> scratch_;    ///< by thread
  std::vector<double> losses_;      ///< [n_nodes, n_conditions]: minus infinity if a node cannot make a split
  std::vector<double> scores_;      ///< [n_conditions]: first plain columns, then other features
  std::vector<std::int64_t> left_;  ///< [n_nodes of the level, n_sums]: left sums of the found split
};

}  // namespace kauri
