/// \file The split that all nodes of a level share, of thresholds that were drawn, for leaves of vectors.
///
/// Vocabulary as in hist/level_search.h: a node can make a split when it may use its feature, both children have rows,
/// and enough hessian and rows; the score of a split is the sum over the nodes that can of the loss change less gamma,
/// added up in the order of the nodes, less the cost of the feature. With random_strength the noise of the feature in
/// all nodes that may use it is added where scores are compared. Of equal scores the lower feature is taken, then the
/// question that level_questions.h names first.
///
/// No histograms are made: a level with one threshold for each feature has a sum or two of each node and feature. Cost
/// of a node: two divisions for each output and question. Chunks of nodes bound what is held at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "kauri/context.h"
#include "kauri/span.h"
#include "tree/growth/hist_growth.h"
#include "tree/hist_vector/level_questions.h"
#include "tree/hist_vector/vector_gain.h"
#include "tree/hist_vector/vector_growth.h"

namespace kauri {

class DrawnLevelSearch {
 public:
  using Node = GrowingNode<VectorGrowth>;
  /// The sums of some nodes of a level, ascending: [n_nodes, n_sums, questions.Width()], until the next call.
  using Summer = std::function<std::int64_t const*(LevelQuestions const& questions, Span<Node const> nodes)>;

  /// For one tree, which it refers to. signs, costs: [n_features], or empty.
  struct Rules {
    QuantileCuts const& cuts;
    VectorGainParam const& gain;
    double gamma;
    Span<std::int8_t const> signs;
    Span<float const> costs;
  };

  DrawnLevelSearch(Rules const& rules, PlainColumns plain) : rules_(rules), plain_(std::move(plain)) {}

  /// Integers of a row of the gradient table that are summed up.
  std::int64_t NumSums() const { return rules_.gain.RowsPlace() + (rules_.gain.least_rows > 1 ? 1 : 0); }
  /// Of the open nodes of a level. features: those of the tree, ascending. An invalid candidate when no score is above
  /// kMinLossChange.
  LevelSplit Find(Context const& ctx, Span<Node const> level, ThresholdDraw const& draw,
                  Span<std::uint32_t const> features, Summer const& sum);
  /// Makes the split that was found the node's best, and tells it what goes left; false, and no best, where the node
  /// cannot make it. place: that of the node in the level.
  bool MakesSplit(LevelSplit const& split, std::size_t place, Node* node) const;

 private:
  /// Scratch of one thread.
  struct Scratch {
    std::vector<double> sums;        ///< BoundarySums
    std::vector<std::int64_t> left;  ///< [n_sums]
  };
  /// Some nodes, and what they have answered.
  struct Answers {
    LevelQuestions const& questions;
    Span<Node const> nodes;
    std::int64_t const* sums;
  };

  bool CanHold(double hessian) const { return hessian > 0.0 && rules_.gain.HasEnough(hessian); }
  bool MayUse(Node const& node, std::uint32_t feature) const;
  void ScoreChunk(Context const& ctx, Answers const& chunk);
  void ScoreNode(Answers const& of_node, Scratch* scratch, double* losses) const;
  void ScorePlain(Answers const& of_node, Scratch* scratch, double* losses) const;
  double LossOf(LevelSplit const& split, VectorTotal const& node, SumRow left) const;
  LevelQuestion BestOf(Span<Node const> level, LevelQuestions const& questions) const;

  Rules rules_;
  PlainColumns plain_;
  std::size_t n_features_ = 0;      ///< of the tree
  std::vector<Scratch> scratch_;    ///< by thread
  std::vector<double> losses_;      ///< [n_nodes, n_questions]: minus infinity where a node cannot make a split
  std::vector<double> scores_;      ///< [n_questions]: of plain columns, then of other features
  std::vector<std::int64_t> left_;  ///< [n_nodes of the level, n_sums]: of the split that was found
};

}  // namespace kauri
