/// \file Adds rows of gradient tables to histograms: the hot loop of building trees with vector leaves.
///
/// A cell holds `stride` sums side by side, so an entry of the data costs one address and stride / 8 vector additions.
/// The integers of a row are widened once and added to all its cells. Later rows and bin indices are prefetched,
/// because the rows of a node are scattered.
#pragma once

#include <cstdint>

#include "data/bins/bin_matrix.h"
#include "kauri/gradient.h"
#include "tree/histogram/histogram_adder.h"

namespace kauri {

/// A column of bin indices, of a feature or of a bundle of features, and its position in a histogram.
struct VectorSlot {
  std::uint32_t column = 0;
  std::uint64_t first_sum = 0;  ///< first sum of the cell of bin 0
  std::uint64_t end_sum = 0;
};

/// Adds the rows of the slice to the histogram, at the cells of the slots, which are ascending. Only for data with
/// columns of bin indices: dense, or bundled.
void AddRowsOfSlots(BinMatrix const& bins, GradientTableView const& table, RowSlice slice, Span<VectorSlot const> slots,
                    std::int64_t* histogram);
/// Adds the rows of the slice to all cells of the histogram; a cell's sums begin at cell * stride. Only for sparse data
/// without bundles.
void AddSparseRows(BinMatrix const& bins, GradientTableView const& table, RowSlice slice, std::int64_t* histogram);

/// Rows of dense data whose integers were copied side by side.
struct GatheredRows {
  Span<std::int64_t const> places;  ///< [n_rows]: where the bin indices of each row begin
  Span<std::int32_t const> values;  ///< [n_rows, stride]
  std::int64_t stride;
};

/// Adds the rows to the cells of one feature, starting with the cell of bin 0, and sets the bits of these cells in
/// `used`.
void AddGatheredRows(BinMatrix const& bins, std::uint32_t feature, GatheredRows const& rows, std::int64_t* cells,
                     std::uint64_t* used);

/// Writes the indices of the cells [n_cells, stride] that are not all zeros, ascending, and returns their number.
std::size_t CollectUsed(std::int64_t const* cells, std::int64_t stride, std::uint32_t n_cells, std::uint32_t* numbers);

/// Adds the cells with these indices to the sums.
void AddCells(std::int64_t const* cells, std::int64_t stride, Span<std::uint32_t const> numbers, std::int64_t* sums);
/// Sets the cells with these indices to zero.
void WipeCells(std::int64_t stride, Span<std::uint32_t const> numbers, std::int64_t* cells);

/// Adds `other` to `to`, [n].
void AddSums(std::int64_t const* other, std::size_t n, std::int64_t* to);
/// Subtracts `other` from `to`, [n].
void SubtractSums(std::int64_t const* other, std::size_t n, std::int64_t* to);

}  // namespace kauri
