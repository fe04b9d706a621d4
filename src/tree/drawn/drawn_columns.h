/// \file The thresholds that are drawn for a node (threshold_draw.h), and what lies left of them, in all columns at
/// once.
///
/// Where thresholds are drawn a column needs no cells: which codes its rows have tells how many thresholds there are,
/// the draw picks one of them, and the rows below it are added up. The columns' sums are the histogram's, so the split
/// is the same.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/span.h"
#include "tree/drawn/node_codes.h"
#include "tree/threshold_draw.h"

namespace kauri {

/// Scratch of one thread, and what was found.
struct DrawnColumns {
  NodeCodes rows;
  std::int64_t n_columns = 0;         ///< padded to whole tiles
  std::vector<std::uint8_t> below;    ///< [n_columns]: codes below it are left of the threshold; 0: there is none
  std::vector<std::int64_t> left;     ///< [n_sums, n_columns]: of the rows left of the thresholds
  std::vector<std::uint32_t> others;  ///< features that were asked for and not searched, ascending
  std::vector<std::uint8_t> flags;    ///< of FindUsedCodes
  bool has_failed = false;            ///< some rows of the tree may cancel

  std::int64_t LeftOf(std::int64_t sum, std::int64_t column) const { return left[sum * n_columns + column]; }
};

/// Whether thresholds can be drawn for most columns at once: codes are bytes, a column each, and but a few features are
/// categorical, or missed by some row, and so searched by cells.
bool DrawsMostColumns(BinMatrix const& bins);

/// Draws for the rows that are in place. Categorical features, and those that some of the rows miss, are left to
/// others. features: ascending.
void DrawThresholds(BinMatrix const& bins, ThresholdDraw const& draw, Span<std::uint32_t const> features,
                    DrawnColumns* columns);

}  // namespace kauri
