/// \file Finds the best split of a node with vector leaves and few rows without a histogram: hist/few_rows.h for cells
/// of several sums, and random_thresholds/drawn_columns.h for random thresholds.
///
/// A cell is as long as a cache line or two. Clearing, subtracting and scanning mostly empty histograms therefore costs
/// more here than adding up the rows of both siblings. Features may be of any kind; the data must be dense.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/gradient.h"
#include "tree/growth/hist_growth.h"
#include "tree/hist_vector/vector_growth.h"
#include "tree/hist_vector/vector_split.h"
#include "tree/rows/row_slice.h"

namespace kauri {

/// Scratch of one thread.
struct FewVectorRowsScratch {
  std::vector<std::int64_t> cells;   ///< [n_bins + 1, stride] of any feature; zero between two features
  std::vector<std::uint64_t> used;   ///< a bit for each cell, also zero between two features
  std::vector<std::uint32_t> codes;  ///< bin indices of the cells with rows
  std::vector<std::int64_t> places;  ///< where the bin indices of each row begin
  std::vector<std::int32_t> values;  ///< [n_rows, stride]
  VectorScanScratch scan;
  DrawnColumns drawn;
};

/// Returns whether searching this many rows, of one node or of two siblings, is cheaper than using histograms. draws:
/// whether random thresholds are drawn for most columns at once.
bool AreFewVectorRows(BinMatrix const& bins, std::int64_t n_rows, bool draws);

/// The rows of one node.
struct RowsOfVectors {
  GradientTableView const& table;
  RowSlice slice;
  bool draws = false;  ///< random thresholds are drawn for most columns at once
};

/// Sets `best` and `total.left` of the node that has these rows. finder: uses `bins`.
void FindSplitOfFewVectorRows(VectorSplitFinder const& finder, BinMatrix const& bins, RowsOfVectors const& rows,
                              FewVectorRowsScratch* scratch, GrowingNode<VectorGrowth>* node);

}  // namespace kauri
