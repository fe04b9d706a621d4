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

/// Rows of dense data, wherever they lie, whose integers were copied side by side.
struct GatheredRows {
  Span<std::int64_t const> places;  ///< [n_rows]: where the codes of each begin
  Span<std::int32_t const> values;  ///< [n_rows, stride]
  std::int64_t stride;
};

/// cells += the rows, at the cells of one feature, that of code 0 first; sets the bits of these cells in `used`.
void AddGatheredRows(BinMatrix const& bins, std::uint32_t feature, GatheredRows const& rows, std::int64_t* cells,
                     std::uint64_t* used);

/// Writes the numbers of the cells [n_cells, stride] that are not all zeros, ascending; returns how many there are.
std::size_t CollectUsed(std::int64_t const* cells, std::int64_t stride, std::uint32_t n_cells, std::uint32_t* numbers);

/// sums += the cells with these numbers.
void AddCells(std::int64_t const* cells, std::int64_t stride, Span<std::uint32_t const> numbers, std::int64_t* sums);
/// Makes the cells with these numbers zeros.
void WipeCells(std::int64_t stride, Span<std::uint32_t const> numbers, std::int64_t* cells);

/// to += other, [n].
void AddSums(std::int64_t const* other, std::size_t n, std::int64_t* to);
/// to -= other, [n].
void SubtractSums(std::int64_t const* other, std::size_t n, std::int64_t* to);

}  // namespace kauri
