/// \file The rows of nodes in the order of their label bins, with what every feature asks of them side by side.
///
/// Vocabulary as in label_binner.h. Label bins are looked at in groups first (label_table.h): single ones around the
/// quantile of the node, more the further they are from it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kauri/gradient.h"
#include "kauri/span.h"
#include "tree/histogram/histogram_adder.h"
#include "tree/label_bins/bin_sides.h"
#include "tree/label_bins/fixed_residuals.h"
#include "tree/label_bins/label_binner.h"

namespace kauri {

/// Numbers of label bins, ascending.
using LabelBinList = std::vector<std::uint8_t>;

/// A node's.
struct LabelBins {
  std::array<std::int64_t, kLabelBins + 1> begin{};  ///< positions of the rows of each
  LabelBinList ends;                                 ///< the last one of each group; the last one with rows
  ResidualSum all;
  double errors = 0.0;          ///< of all rows
  bool has_weightless = false;  ///< a row weighs nothing
};

class LabelRows {
 public:
  /// Of one tree. What it refers to must outlive it. pairs: [n_rows].
  LabelRows(FixedResiduals const& residuals, Span<FixedPair const> pairs);

  /// Puts the rows of a node in order, within their positions. Different nodes at once on several threads.
  LabelBins Sort(RowSlice const& slice);

  /// By position.
  std::uint32_t const* Rows() const { return rows_.data(); }
  ResidualSum const* Residuals() const { return sums_.data(); }
  FixedPair const* Pairs() const { return sorted_pairs_.data(); }

 private:
  void Count(RowSlice const& slice, LabelBins* bins);
  void Move(RowSlice const& slice, LabelBins const& bins);
  LabelSums Add(LabelBins* bins) const;

  FixedResiduals const& residuals_;
  Span<FixedPair const> pairs_;
  LabelBinner binner_;
  std::vector<std::uint8_t> bin_of_;  ///< by position, before rows are put in order
  std::vector<std::uint32_t> rows_;
  std::vector<ResidualSum> sums_;
  std::vector<FixedPair> sorted_pairs_;
};

}  // namespace kauri
