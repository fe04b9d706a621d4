/// \file Finds the splits that reduce the absolute error most, or any loss of two straight lines, by bins of the
/// residuals (thesis, section 7.2, with bins instead of moment sketches).
///
/// Vocabulary as in label_rows.h. The errors of a set of rows are the errors of the best constant, a weighted quantile
/// of its residuals (the median for absolute errors).
///
/// 1. The rows of a node are sorted by label bin.
/// 2. For each feature, their weights and weighted residuals are added up by bin index, one group of label bins at a
///    time (label_table.h).
/// 3. For each boundary between bins with rows, the groups that contain the quantiles of both sides are found. The
///    constant is the mean residual of such a group. The errors follow from the sums below and above it:
///    above * (S_above - C_above m) + below * (C_below m - S_below), with weights C and weighted residuals S.
/// 4. The gain of a boundary is the node's errors minus the errors of both sides; missing rows are tried on each side.
///    If a quantile is in a group of several label bins, the gain is an upper bound. If it can win, the bins of the
///    group are added up one by one, and the boundary is evaluated again.
/// 5. The best boundary is chosen by single label bins. Gradients are added up only if a feature can win.
/// All sums are integers, so the result does not depend on threads. The errors are as accurate as the bins are narrow.
/// If a node has few distinct residuals they are exact, except in the quantile's own bin, where residuals count as
/// their mean.
///
/// Lower bound of the cost: per row and feature, the look-up of a bin index and an addition of 16 bytes to a table of 4
/// KB; per boundary and group, another addition; per boundary, the search for two quantiles and 2 divisions.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "tree/absolute_error/fixed_residuals.h"
#include "tree/absolute_error/label_gains.h"
#include "tree/absolute_error/label_table.h"
#include "tree/growth/split_search.h"
#include "tree/histogram/histogram_adder.h"
#include "tree/split_gain.h"

namespace kauri {

/// A node whose split is searched.
struct LabelBinNode {
  RowSlice rows;
  NodeTotal const* total = nullptr;
  LabelBins bins = {};
  /// The largest gain that any feature has reached; candidates with less are skipped. Timing determines when a value
  /// arrives here, but only candidates that lose anyway are skipped.
  mutable std::atomic<double> reached{0.0};
};

class LabelBinSearch {
 public:
  using Node = LabelBinNode;

  /// Searches one tree. Referenced objects must outlive this object. pairs: [n_rows], the pairs that the tree's leaves
  /// are made from.
  LabelBinSearch(BinMatrix const& bins, FixedResiduals const& residuals, GainParam const& gain,
                 Span<FixedPair const> pairs)
      : bins_(bins), residuals_(residuals), gain_(gain), slack_(residuals.Rounding()), rows_(residuals, pairs) {}

  /// Sets the label bins of a node.
  void Prepare(LabelBinNode* node) { node->bins = rows_.Sort(node->rows); }
  /// Returns the best split of a prepared node at a numerical feature. The result is invalid unless it reduces the
  /// errors, and also if another feature is known to reduce them more. Threads may search different features and nodes
  /// concurrently, each with its own scratch.
  struct Scratch;
  SplitCandidate Find(LabelBinNode const& node, std::uint32_t feature, Scratch* scratch) const;

  struct Scratch {
    LabelTable table;
    std::vector<FixedSum> pairs;         ///< pairs of the table; empty until needed
    std::vector<std::int64_t> n_rows;    ///< row counts of the table, if rows are limited
    std::vector<std::uint32_t> indices;  ///< of bins with rows, ascending; the boundaries after these may win
    PlaceGains gains;
  };

 private:
  /// A node, a feature, and the direction of its missing rows.
  struct Side;

  void Consider(Side const& side, Scratch* scratch, SplitCandidate* best) const;
  void ListBoundaries(Side const& side, Scratch* scratch) const;
  bool KeepWhatMayWin(Side const& side, double floor, Scratch* scratch) const;
  bool IsAllowed(Side const& side, Scratch const& scratch, std::uint32_t index) const;
  SplitCandidate At(Side const& side, Scratch* scratch, std::uint32_t index) const;

  BinMatrix const& bins_;
  FixedResiduals const& residuals_;
  GainParam const& gain_;
  double slack_;  ///< tolerance for gains that are bounds
  LabelRows rows_;
};

}  // namespace kauri
