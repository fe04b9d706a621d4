/// \file Draws random thresholds for a node (split_rules.h) and sums the rows left of them, in all columns at once.
///
/// Random thresholds need no histogram. The bin indices of a column's rows determine the number of thresholds, the draw
/// picks one of them, and the rows below it are added up. The sums equal the histogram's, so the split is the same.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/span.h"
#include "tree/random_thresholds/node_codes.h"
#include "tree/split_rules.h"

namespace kauri {

/// Scratch of one thread, and the results.
struct DrawnColumns {
  NodeCodes rows;
  std::int64_t n_columns = 0;       ///< padded to whole tiles
  std::vector<std::uint8_t> below;  ///< [n_columns]: smaller bin indices are left of the threshold; 0 if there is none
  std::vector<std::int64_t> left;   ///< [n_sums, n_columns]: sums of the rows left of the thresholds
  std::vector<std::uint32_t> others;  ///< requested features that were not searched, ascending
  std::vector<std::uint8_t> flags;    ///< scratch of FindUsedCodes
  bool has_failed = false;            ///< sums of rows of the tree may cancel

  std::int64_t LeftOf(std::int64_t sum, std::int64_t column) const { return left[sum * n_columns + column]; }
};

/// Returns whether thresholds can be drawn for most columns at once. Bin indices must be bytes, one per column. Only a
/// few features may be categorical or have missing rows; these are searched by histogram.
bool DrawsMostColumns(BinMatrix const& bins);

/// Draws thresholds for the rows in columns->rows. Categorical features, and features missing in some of the rows, are
/// returned in columns->others. features: ascending.
void DrawThresholds(BinMatrix const& bins, ThresholdDraw const& draw, Span<std::uint32_t const> features,
                    DrawnColumns* columns);

}  // namespace kauri
