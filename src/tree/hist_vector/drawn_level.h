/// \file The split that all nodes of a level share, of thresholds that were drawn, for leaves of vectors.
///
/// Vocabulary as in hist/level_search.h: a node can make a split when it may use its feature, both children have rows,
/// and enough hessian and rows; the score of a split is the sum over the nodes that can of the loss change less gamma,
/// added up in the order of the nodes, less the cost of the feature. With random_strength the noise of the feature in
/// all nodes that may use it is added where scores are compared. Of equal scores the lower feature is taken, then the
/// question that level_questions.h names first.
///
/// A level costs each row an addition of 8 lanes for each sum and tile of columns, and no histogram; each node two
/// divisions for each output and question. Chunks of nodes bound what is held at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/context.h"
#include "kauri/span.h"
#include "tree/growth/hist_growth.h"
#include "tree/hist_vector/level_questions.h"
#include "tree/hist_vector/vector_gain.h"
#include "tree/hist_vector/vector_growth.h"
#include "tree/rows/row_lists.h"

namespace kauri {

class DrawnLevelSearch {
 public:
  using Node = GrowingNode<VectorGrowth>;

  /// For one tree, which it refers to. signs, costs: [n_features], or empty.
  struct Rules {
    BinMatrix const& bins;
    GradientTableView const& table;
    VectorGainParam const& gain;
    double gamma;
    Span<std::int8_t const> signs;
    Span<float const> costs;
  };

  explicit DrawnLevelSearch(Rules const& rules) : rules_(rules) {}

  /// Of the open nodes of a level. features: those of the tree, ascending. An invalid candidate when no score is above
  /// kMinLossChange.
  LevelSplit Find(Context const& ctx, Span<Node const> level, RowLists const& rows, ThresholdDraw const& draw,
                  Span<std::uint32_t const> features);
  /// Makes the split that was found the node's best, and tells it what goes left; false, and no best, where the node
  /// cannot make it. place: that of the node in the level.
  bool MakesSplit(LevelSplit const& split, std::size_t place, Node* node) const;

 private:
  /// Some nodes of a level, and what is asked of them.
  struct Chunk {
    LevelQuestions const& questions;
    Span<Node const> nodes;
    RowLists const& rows;
  };
  /// Scratch of one thread.
  struct Scratch {
    NodeCodes rows;
    std::vector<double> sums;        ///< BoundarySums
    std::vector<std::int64_t> left;  ///< [n_sums]
  };

  std::int64_t NumSums() const { return rules_.gain.RowsPlace() + (rules_.gain.least_rows > 1 ? 1 : 0); }
  bool CanHold(double hessian) const { return hessian > 0.0 && rules_.gain.HasEnough(hessian); }
  bool MayUse(Node const& node, std::uint32_t feature) const;
  /// fn(chunk, place of its first node) for all of the level, with their sums in sums_.
  template <typename Fn>
  void ForEachChunk(Context const& ctx, Chunk const& level, Fn&& fn);
  void SumChunk(Context const& ctx, Chunk const& chunk);
  void ScoreChunk(Context const& ctx, Chunk const& chunk);
  void ScoreNode(LevelQuestions const& questions, Node const& node, std::int64_t const* sums, Scratch* scratch,
                 double* losses) const;
  void ScorePlain(LevelQuestions const& questions, Node const& node, std::int64_t const* sums, Scratch* scratch,
                  double* losses) const;
  double LossOf(LevelSplit const& split, VectorTotal const& node, SumRow left) const;
  LevelQuestion BestOf(Span<Node const> level, LevelQuestions const& questions) const;

  Rules rules_;
  std::size_t n_features_ = 0;      ///< of the tree
  std::vector<Scratch> scratch_;    ///< by thread
  std::vector<std::int64_t> sums_;  ///< [n_parts, n_sums, width]: of a chunk, whose nodes come first
  std::vector<double> losses_;      ///< [n_nodes, n_questions]: minus infinity where a node cannot make a split
  std::vector<double> scores_;      ///< [n_questions]: of plain columns, then of other features
  std::vector<std::int64_t> left_;  ///< [n_nodes of the level, n_sums]: of the split that was found
};

}  // namespace kauri
