/// \file Splits that reduce the absolute error most, or any loss of two straight lines, by bins of the residuals
/// (thesis, section 7.2, with bins in place of moment sketches).
///
/// Vocabulary. residual: label less margin. A label bin holds residuals of a node between two of its edges. The errors
/// of a set of rows are those of the best constant, a weighted quantile of its residuals (for absolute errors the
/// median).
///
/// 1. A node has kLabelBins label bins at most, with edges at ranks of 4,096 of its rows at most, which are taken at a
///    fixed stride: even ones for the median; for other quantiles half of them lie around the quantile.
/// 2. For each feature, the weights and weighted residuals of the node's rows are added up by code and label bin.
/// 3. From each boundary between codes with rows to the next, the sums of a code go from the right to the left, label
///    bin by label bin, and the bins that the quantiles of both sides lie in move along (bin_sides.h).
/// 4. The constant is the mean residual of that bin; the errors follow from the sums below and above it:
///    above * (S_above - C_above m) + below * (C_below m - S_below), with weights C and weighted residuals S.
/// 5. The gain of a boundary is the errors of the node less those of both sides, missing rows being tried on each.
/// All sums are integers, so threads do not matter. The errors are as near as the bins are narrow: where a node has few
/// distinct residuals they are exact but for those in the quantile's own bin, which count as their mean.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "tree/growth/node_total.h"
#include "tree/histogram/histogram_adder.h"
#include "tree/label_bins/bin_sides.h"
#include "tree/label_bins/fixed_residuals.h"
#include "tree/split_gain.h"

namespace kauri {

/// Ascending, then infinity: one less than kLabelBins are used at most.
using LabelEdges = std::array<float, kLabelBins>;

/// A node whose split is looked for.
struct LabelBinNode {
  RowSlice rows;
  NodeTotal const* total = nullptr;
  LabelEdges edges{};  ///< bin b holds residuals from edges[b - 1] on
  LabelSums bins{};    ///< of all its rows
  ResidualSum all;     ///< the same in one
  double errors = 0.0;
};

class LabelBinSearch {
 public:
  using Node = LabelBinNode;

  /// Of one tree. What it refers to must outlive it. pairs: [n_rows], as the tree's leaves are made of.
  LabelBinSearch(BinMatrix const& bins, FixedResiduals const& residuals, GainParam const& gain,
                 Span<FixedPair const> pairs);

  /// Sets the edges, the sums and the errors of a node, and notes what features ask of its rows.
  void Prepare(LabelBinNode* node);
  /// The best split of a prepared node at a numerical feature; invalid unless it reduces the errors. Different features
  /// and nodes at once on several threads, each with its scratch.
  struct Scratch;
  SplitCandidate Find(LabelBinNode const& node, std::uint32_t feature, Scratch* scratch) const;

  /// What rows with one code of a feature add up to.
  struct Cell {
    std::uint64_t used = 0;  ///< a bit for each label bin with rows
    std::int64_t n_rows = 0;
    FixedSum pairs;
  };
  struct Scratch {
    std::vector<Cell> cells;           ///< [n_codes], empty between two searches
    std::vector<LabelSums> bins;       ///< [n_codes]: those not used hold anything
    std::vector<std::uint32_t> codes;  ///< those with rows, ascending
  };

 private:
  void AddRows(LabelBinNode const& node, std::uint32_t feature, Scratch* scratch) const;
  void Consider(LabelBinNode const& node, std::uint32_t feature, Scratch const& scratch, bool missing_left,
                SplitCandidate* best) const;

  BinMatrix const& bins_;
  FixedResiduals const& residuals_;
  GainParam const& gain_;
  Span<FixedPair const> pairs_;
  /// What every feature asks of a row, side by side and in the order of the node's rows.
  struct Entry {
    ResidualSum residual;
    FixedPair pair;
    std::uint32_t bin;
  };
  std::vector<Entry> entries_;  ///< [n_rows], by position
};

}  // namespace kauri
