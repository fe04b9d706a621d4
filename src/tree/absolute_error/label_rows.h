/// \file Sorts the rows of nodes by label bin and copies what every feature needs from them side by side.
///
/// Vocabulary as in label_binner.h. Label bins are first evaluated in groups (label_table.h): single bins around the
/// quantile of the node, and larger groups further away.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kauri/gradient.h"
#include "kauri/span.h"
#include "tree/absolute_error/bin_sides.h"
#include "tree/absolute_error/fixed_residuals.h"
#include "tree/absolute_error/label_binner.h"
#include "tree/histogram/histogram_adder.h"

namespace kauri {

/// Label bin indices, ascending.
using LabelBinList = std::vector<std::uint8_t>;

/// The label bins of a node.
struct LabelBins {
  std::array<std::int64_t, kLabelBins + 1> begin{};  ///< positions of the rows of each bin
  LabelBinList ends;  ///< last bin of each group; the final one is the last bin with rows
  ResidualSum all;
  double errors = 0.0;          ///< errors of all rows
  bool has_weightless = false;  ///< some row has weight 0
};

class LabelRows {
 public:
  /// Serves one tree. Referenced objects must outlive this object. pairs: [n_rows].
  LabelRows(FixedResiduals const& residuals, Span<FixedPair const> pairs);

  /// Sorts the rows of a node, within their positions. Threads may process different nodes concurrently.
  LabelBins Sort(RowSlice const& slice);

  /// Rows, residuals and pairs, by position.
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
  std::vector<std::uint8_t> bin_of_;  ///< by position, before rows are sorted
  std::vector<std::uint32_t> rows_;
  std::vector<ResidualSum> sums_;
  std::vector<FixedPair> sorted_pairs_;
};

}  // namespace kauri
