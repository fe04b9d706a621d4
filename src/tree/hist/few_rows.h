/// \file Finds the best split of a node with few rows without a histogram. Random thresholds need no histogram, either
/// (random_thresholds/drawn_columns.h).
///
/// A histogram costs a clearing, a subtraction and a scan of all its cells, however few contain rows. Instead, the rows
/// are added feature by feature to cells that are otherwise zero, and a bit per cell marks the cells with rows. Only
/// these are read, in order, and cleared. The sums equal the histogram's, so the split is the same.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/gradient.h"
#include "kauri/span.h"
#include "tree/histogram/bin_split.h"
#include "tree/rows/route_rows.h"

namespace kauri {

/// Scratch of one thread.
struct FewRowsScratch {
  std::vector<FixedSum> cells;       ///< zero between two features
  std::vector<std::uint64_t> used;   ///< a bit for each cell, also zero between two features
  std::vector<std::int64_t> places;  ///< where the bin indices of each row begin
  std::vector<FixedPair> pairs;      ///< gradient pair of each row
  ScanScratch scan;
  DrawnColumns drawn;
};

/// Returns whether searching this many rows, of one node or of two siblings, is cheaper than using histograms. draws:
/// whether random thresholds are drawn for most columns at once.
bool AreFewRows(BinMatrix const& bins, std::int64_t n_rows, bool draws);

/// The rows of one node, with the node's totals.
struct FewRows {
  Span<FixedPair const> pairs;  ///< [n_rows] of the data
  RowSlice slice;               ///< the rows of the node
  Span<std::uint32_t const> features;
  NodeTotal const& node;
  bool draws = false;  ///< random thresholds are drawn for most columns at once
};

/// Sets *best to the best split at one of the features, which are in ascending order. The data must be dense. finder:
/// uses the bin edges of `bins`.
void FindSplitOfFewRows(BinSplitFinder const& finder, BinMatrix const& bins, FewRows const& rows,
                        FewRowsScratch* scratch, SplitCandidate* best);

/// Returns the categories that go right at the best split of a node, which is categorical.
std::vector<std::int32_t> RightCategoriesOfFewRows(BinSplitFinder const& finder, BinMatrix const& bins,
                                                   FewRows const& rows, SplitCandidate const& best,
                                                   FewRowsScratch* scratch);

}  // namespace kauri
