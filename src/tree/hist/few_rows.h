/// \file The best split of a node that holds few rows, without a histogram. Drawn thresholds go without cells, too
/// (drawn/drawn_columns.h).
///
/// A histogram costs a clearing, a subtraction and a scan of all its cells, however few of them hold rows. Instead, for
/// one feature after the other, the rows are added to cells that are zero otherwise, a bit per cell tells which hold
/// rows, and only those are read, in order, and wiped. The sums are the histogram's, so the split is the same.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/gradient.h"
#include "kauri/span.h"
#include "tree/histogram/bin_split.h"
#include "tree/rows/row_slice.h"

namespace kauri {

/// Scratch of one thread.
struct FewRowsScratch {
  std::vector<FixedSum> cells;       ///< zero between two features
  std::vector<std::uint64_t> used;   ///< a bit for each cell, zero likewise
  std::vector<std::int64_t> places;  ///< where the codes of each row begin
  std::vector<FixedPair> pairs;      ///< of each row
  ScanScratch scan;
  DrawnColumns drawn;
};

/// Whether a search among this many rows, of one node or of two siblings, is cheaper than their histograms; draws:
/// whether thresholds are drawn for most columns at once.
bool AreFewRows(BinMatrix const& bins, std::int64_t n_rows, bool draws);

/// The rows of one node, and what is known of it.
struct FewRows {
  Span<FixedPair const> pairs;  ///< [n_rows] of the data
  RowSlice slice;               ///< those in the node
  Span<std::uint32_t const> features;
  NodeTotal const& node;
  bool draws = false;  ///< thresholds, for most columns at once
};

/// Sets *best to the best split at one of the features, which ascend. The data are dense. finder: over the cuts of
/// `bins`.
void FindSplitOfFewRows(BinSplitFinder const& finder, BinMatrix const& bins, FewRows const& rows,
                        FewRowsScratch* scratch, SplitCandidate* best);

/// The categories that go right at the best split of a node, which is at a categorical feature.
std::vector<std::int32_t> RightCategoriesOfFewRows(BinSplitFinder const& finder, BinMatrix const& bins,
                                                   FewRows const& rows, SplitCandidate const& best,
                                                   FewRowsScratch* scratch);

}  // namespace kauri
