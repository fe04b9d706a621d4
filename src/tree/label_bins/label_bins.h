/// \file Splits that reduce the absolute error most, or any loss of two straight lines, by bins of the residuals
/// (thesis, section 7.2, with bins in place of moment sketches).
///
/// Vocabulary as in label_rows.h. The errors of a set of rows are those of the best constant, a weighted quantile of
/// its residuals (for absolute errors the median).
///
/// 1. A node's rows are put in the order of their label bins.
/// 2. For each feature, their weights and weighted residuals are added up by code, group of label bins by group
///    (label_table.h).
/// 3. For each boundary between codes with rows the groups are found that the quantiles of both sides lie in. The
///    constant is the mean residual of a group; the errors follow from the sums below and above it:
///    above * (S_above - C_above m) + below * (C_below m - S_below), with weights C and weighted residuals S.
/// 4. The gain of a boundary is the errors of the node less those of both sides; missing rows are tried on each. With
///    a quantile in a group of several label bins the gain is a bound: if it can win, the group's bins are added up one
///    by one, and the boundary is looked at again.
/// 5. The best boundary is that by single label bins. Gradients are added up where a feature can win.
/// All sums are integers, so threads do not matter. The errors are as near as the bins are narrow: where a node has few
/// distinct residuals they are exact but for those in the quantile's own bin, which count as their mean.
///
/// The floor. A row and feature costs the look-up of its code and an addition of 16 bytes to a table of 4 KB; a
/// boundary and group another, a boundary the search for two quantiles and 2 divisions.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "tree/growth/node_total.h"
#include "tree/histogram/histogram_adder.h"
#include "tree/label_bins/fixed_residuals.h"
#include "tree/label_bins/label_gains.h"
#include "tree/label_bins/label_rows.h"
#include "tree/label_bins/label_table.h"
#include "tree/split_gain.h"

namespace kauri {

/// A node whose split is looked for.
struct LabelBinNode {
  RowSlice rows;
  NodeTotal const* total = nullptr;
  LabelBins bins = {};
  /// The largest gain that any feature has reached: what has less is passed over. It is timing that decides how early a
  /// value gets here, but only candidates that lose anyway are passed over.
  mutable std::atomic<double> reached{0.0};
};

class LabelBinSearch {
 public:
  using Node = LabelBinNode;

  /// Of one tree. What it refers to must outlive it. pairs: [n_rows], as the tree's leaves are made of.
  LabelBinSearch(BinMatrix const& bins, FixedResiduals const& residuals, GainParam const& gain,
                 Span<FixedPair const> pairs)
      : bins_(bins), residuals_(residuals), gain_(gain), slack_(residuals.Rounding()), rows_(residuals, pairs) {}

  /// Sets the label bins of a node.
  void Prepare(LabelBinNode* node) { node->bins = rows_.Sort(node->rows); }
  /// The best split of a prepared node at a numerical feature; invalid unless it reduces the errors, and where another
  /// feature is known to reduce them more. Different features and nodes at once on several threads, each with its
  /// scratch.
  struct Scratch;
  SplitCandidate Find(LabelBinNode const& node, std::uint32_t feature, Scratch* scratch) const;

  struct Scratch {
    LabelTable table;
    std::vector<FixedSum> pairs;         ///< of the table; empty: not asked for
    std::vector<std::int64_t> n_rows;    ///< likewise
    std::vector<std::uint32_t> indices;  ///< of codes with rows, ascending: boundaries after these may win
    PlaceGains gains;
  };

 private:
  /// A node and a feature, and where its missing rows go.
  struct Side;

  void Consider(Side const& side, Scratch* scratch, SplitCandidate* best) const;
  void ListBoundaries(Side const& side, Scratch* scratch) const;
  bool KeepWhatMayWin(Side const& side, double floor, Scratch* scratch) const;
  bool IsAllowed(Side const& side, Scratch const& scratch, std::uint32_t index) const;
  SplitCandidate At(Side const& side, Scratch* scratch, std::uint32_t index) const;

  BinMatrix const& bins_;
  FixedResiduals const& residuals_;
  GainParam const& gain_;
  double slack_;  ///< of gains that are bounds
  LabelRows rows_;
};

}  // namespace kauri
