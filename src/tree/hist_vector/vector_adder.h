/// \file Adding rows of gradient tables to histograms: the loop that building trees with vector leaves spends its time
/// in.
///
/// A cell holds `stride` sums side by side, so that an entry of the data costs one address and stride / 8 vector
/// additions. The integers of a row are widened once and added at all its cells. Rows and codes that come later are
/// prefetched, as rows of a node lie apart.
#pragma once

#include <cstdint>

#include "data/bins/bin_matrix.h"
#include "kauri/gradient.h"
#include "tree/histogram/histogram_adder.h"

namespace kauri {

/// A column of codes, of a feature or of a bundle of features, and its place in a histogram.
struct VectorSlot {
  std::uint32_t column = 0;
  std::uint64_t first_sum = 0;  ///< of the cell of code 0
  std::uint64_t end_sum = 0;
};

/// histogram += the rows of the slice, at the cells of the slots, which ascend. Data with columns of codes only: dense,
/// or bundled.
void AddRowsOfSlots(BinMatrix const& bins, GradientTableView const& table, RowSlice slice, Span<VectorSlot const> slots,
                    std::int64_t* histogram);
/// histogram += the rows of the slice, at all cells, whose sums are at cell * stride. Sparse data only, without
/// bundles.
void AddSparseRows(BinMatrix const& bins, GradientTableView const& table, RowSlice slice, std::int64_t* histogram);

/// to += other, [n].
void AddSums(std::int64_t const* other, std::size_t n, std::int64_t* to);
/// to -= other, [n].
void SubtractSums(std::int64_t const* other, std::size_t n, std::int64_t* to);

}  // namespace kauri
