/// \file Finds the split that all nodes of a level share.
///
/// Vocabulary. A node can make a split if it may use its feature, both children have enough hessian and their weights
/// satisfy the monotone constraint. A node that cannot make the split stays as it is. The score of a split is the sum
/// of loss change minus gamma over the nodes that can make it, added up in node order, minus the cost of the feature
/// (feature_cost.h).
///
/// The algorithm (the oblivious trees of Kohavi & Li 1995; for boosting Prokhorenkova et al. 2018, section 4).
/// 1. Per feature and node, the histogram is accumulated from the left, which gives the sums left of every boundary.
/// 2. The loss changes of the boundaries are added to the scores (bin_scan.h), with the missing rows on the right
///    and, if some node has missing rows, on the left. Both directions share their scores until a node has missing
///    rows.
/// 3. The best score of each feature is its candidate, if it exceeds kMinLossChange. The best candidate wins, by
///    IsBetter of scores. With random_strength the comparison adds the feature's noise of all nodes that may use it,
///    because their gains are also summed (gain_noise.h).
/// Candidates are all bin edges of the feature. The last edge, above all values, counts only if it is finite and rows
/// are missing, and only with these to the right.
/// A categorical feature has its categories as candidates: rows of one category go right and the others left, including
/// missing rows if no node of the level has any. Larger sets, as in category_split.h, would differ between nodes. Loss
/// changes use cat_l2; the threshold is the category's index.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/context.h"
#include "kauri/span.h"
#include "tree/growth/split_search.h"
#include "tree/hist/hist_workspace.h"
#include "tree/histogram/bin_scan.h"
#include "tree/split_gain.h"

namespace kauri {

/// Makes the split the node's best, where `left` goes left. Returns false, leaving the node without a split, if the
/// node cannot make it.
bool SetBest(GainParam const& gain, LevelSplit const& split, LeftSide const& left, HistNode* node);

/// Searches the levels of one tree. It refers to its constructor arguments.
class LevelSearch {
 public:
  /// costs: [n_features], open costs at the time of the search; empty if there are none.
  LevelSearch(GainParam const& gain, double gamma, BinMatrix const& bins, Span<float const> costs)
      : gain_(gain), gamma_(gamma), bins_(bins), costs_(costs) {}

  /// Returns the best split of a level. level: its nodes, ascending, with histograms and features. features: the
  /// features of the tree, ascending. The result is invalid if no score exceeds kMinLossChange.
  LevelSplit Find(Context const& ctx, Span<HistNode const> level, Span<std::uint32_t const> features);
  /// Returns the part of a node of the level that goes left at the split.
  LeftSide LeftOf(LevelSplit const& split, HistNode const& node) const;

 private:
  /// Scratch of one thread, and the best split that it found.
  struct Scratch {
    std::vector<FixedSum> left;         ///< sums of a node, by boundary
    FixedSum present;                   ///< sum of the rows with a value
    std::vector<std::int64_t> n_left;   ///< row counts by boundary, if rows are limited
    std::int64_t n_present = 0;         ///< number of rows with a value, if rows are limited
    std::vector<double> missing_right;  ///< scores
    std::vector<double> missing_left;   ///< scores, valid if has_missing
    bool has_missing = false;           ///< true if some node so far has missing rows
    LevelSplit found;
  };

  /// Returns the sum of the node's rows that have a value of the feature.
  FixedSum SumOfPresent(HistNode const& node, std::uint32_t feature) const;
  GainParam const& GainAt(std::uint32_t feature) const {
    return bins_.Cuts().IsCategorical(feature) ? of_categories_ : gain_;
  }
  /// Returns the number of the node's rows that go left.
  std::int64_t CountLeft(HistNode const& node, LevelSplit const& split) const;
  /// Adds the loss changes of the boundaries that leave enough rows to both children; `n_missing` rows go left in
  /// addition.
  void AddAllowed(std::uint32_t feature, HistNode const& node, BinBoundaries boundaries, std::int64_t n_missing,
                  Scratch const& scratch, std::vector<double>* scores) const;
  void FindAt(std::uint32_t feature, Span<HistNode const> level, Scratch* scratch) const;
  /// Computes `left` for every boundary from the node's rows with a value, and `n_left` if rows are counted.
  void SumLeft(std::uint32_t feature, HistNode const& node, Scratch* scratch) const;
  void AddNode(std::uint32_t feature, HistNode const& node, Scratch* scratch) const;
  /// Returns the best of the scores of a feature.
  LevelSplit BestOf(std::uint32_t feature, Scratch const& scratch) const;

  GainParam const& gain_;
  GainParam of_categories_;
  double gamma_;
  BinMatrix const& bins_;
  Span<float const> costs_;
  std::vector<Scratch> scratch_;  ///< by thread
};

}  // namespace kauri
