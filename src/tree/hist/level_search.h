/// \file The split that all nodes of a level share.
///
/// Vocabulary. A node can make a split when it may use its feature, both children have enough hessian and their weights
/// are in the order that a monotone constraint asks for; one that cannot is left as it is. The score of a split is the
/// sum, over the nodes that can make it, of the loss change less gamma, added up in the order of the nodes, less the
/// cost of the feature (feature_cost.h).
///
/// The algorithm (the oblivious trees of Kohavi & Li 1995; for boosting Prokhorenkova et al. 2018, section 4).
/// 1. Per feature and node, the histogram is added up from the left: sums left of every boundary.
/// 2. The losses of the boundaries, with the missing rows on the right and, where some node has such rows, on the left
///    are added to the scores (level_scan.h). Until a node has some, both are the same scores.
/// 3. The best score of each feature is its candidate, if it is above kMinLossChange; of these the best stays, by
///    IsBetter of scores. With random_strength the noise of the feature in all nodes that may use it is added for this,
///    as their gains are (gain_noise.h).
/// Candidates are all cuts of the feature; the last one, behind all values, only where it is finite and rows are
/// missing, and only with these to the right. Of a categorical feature they are its categories: the rows of one go
/// right, those of the others left, and the missing ones, too, where no node of the level has some. A set of more, as
/// category_split.h has it, would be another one in every node. Losses have cat_l2; the threshold is the index.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/context.h"
#include "kauri/span.h"
#include "tree/growth/level_split.h"
#include "tree/hist/hist_workspace.h"
#include "tree/histogram/bin_scan.h"
#include "tree/split_gain.h"

namespace kauri {

/// Makes the split the node's best, `left` being what goes left there; false, and none, where the node cannot make it.
bool SetBest(GainParam const& gain, LevelSplit const& split, LeftSide const& left, HistNode* node);

/// For one tree; it refers to what it is made of.
class LevelSearch {
 public:
  /// costs: [n_features], open when a split is looked for; empty: none.
  LevelSearch(GainParam const& gain, double gamma, BinMatrix const& bins, Span<float const> costs)
      : gain_(gain), gamma_(gamma), bins_(bins), costs_(costs) {}

  /// Of a level: its nodes, ascending, with their histograms and features. An invalid candidate when no score is
  /// above kMinLossChange. features: those of the tree, ascending.
  LevelSplit Find(Context const& ctx, Span<HistNode const> level, Span<std::uint32_t const> features);
  /// What of a node of the level goes left at the split.
  LeftSide LeftOf(LevelSplit const& split, HistNode const& node) const;

 private:
  /// Scratch of one thread, and the best that it found.
  struct Scratch {
    std::vector<FixedSum> left;         ///< of a node, by boundary
    FixedSum present;                   ///< its rows with a value
    std::vector<std::int64_t> n_left;   ///< rows, where they are limited
    std::int64_t n_present = 0;         ///< the same
    std::vector<double> missing_right;  ///< scores
    std::vector<double> missing_left;   ///< where has_missing
    bool has_missing = false;           ///< of some node so far
    LevelSplit found;
  };

  /// The node's rows with a value of the feature.
  FixedSum SumOfPresent(HistNode const& node, std::uint32_t feature) const;
  GainParam const& GainAt(std::uint32_t feature) const {
    return bins_.Cuts().IsCategorical(feature) ? of_categories_ : gain_;
  }
  /// How many of the node's rows go left.
  std::int64_t CountLeft(HistNode const& node, LevelSplit const& split) const;
  /// Adds the losses of the boundaries that leave both children enough rows, `n_missing` of them going left.
  void AddAllowed(std::uint32_t feature, HistNode const& node, BinBoundaries boundaries, std::int64_t n_missing,
                  Scratch const& scratch, std::vector<double>* scores) const;
  void FindAt(std::uint32_t feature, Span<HistNode const> level, Scratch* scratch) const;
  /// What of the node's rows with a value is left of every boundary: `left`, and `n_left` where they are counted.
  void SumLeft(std::uint32_t feature, HistNode const& node, Scratch* scratch) const;
  void AddNode(std::uint32_t feature, HistNode const& node, Scratch* scratch) const;
  /// Of the scores of a feature.
  LevelSplit BestOf(std::uint32_t feature, Scratch const& scratch) const;

  GainParam const& gain_;
  GainParam of_categories_;
  double gamma_;
  BinMatrix const& bins_;
  Span<float const> costs_;
  std::vector<Scratch> scratch_;  ///< by thread
};

}  // namespace kauri
