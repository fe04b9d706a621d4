/// \file Access to a matrix of rows column by column, a block of rows at a time.
///
/// PlaceColumns begins a counting sort of entries by column, with the rows divided into parts for the threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "common/threads/parallel_for.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// The values of a column in some rows.
struct ColumnPart {
  Span<float const> values;   ///< NaN where missing
  Span<float const> weights;  ///< weights of their rows; empty if all weigh the same
};

/// The entries of rows [first, last) of sparse data, sorted by column.
class SparseColumns {
 public:
  SparseColumns(Context const& ctx, DataMatrix const& data, std::int64_t first, std::int64_t last,
                Span<float const> weights);
  ColumnPart Of(std::size_t feature) const {
    auto const offset = static_cast<std::size_t>(begin_[feature]);
    auto const n = static_cast<std::size_t>(begin_[feature + 1]) - offset;
    Span<float const> const weights(weights_);
    return {Span<float const>(values_).subspan(offset, n), weights.empty() ? weights : weights.subspan(offset, n)};
  }

 private:
  std::vector<std::int64_t> begin_;  ///< [n_cols + 1]
  std::vector<float> values_;
  std::vector<float> weights_;
};

/// Rows in the caller's memory: values [n_rows, n_cols], row-major, NaN where missing.
struct DenseRows {
  float const* values = nullptr;
  std::int64_t n_rows = 0;
  std::int64_t n_cols = 0;

  std::int64_t NumRows() const { return n_rows; }
  std::int64_t NumCols() const { return n_cols; }
};

/// Returns the distance between copied columns. With a power of two, all columns would share a few sets of the cache.
inline std::int64_t ColumnStride(std::int64_t n_rows) { return n_rows + 16; }

/// A block of neighbouring columns and rows.
struct DenseBlock {
  float const* values = nullptr;  ///< the first value
  std::int64_t n_rows = 0;
  std::int64_t n_columns = 0;
  std::int64_t row_stride = 0;  ///< distance between rows
};

/// Copies the block to columns: [n_columns, ColumnStride(n_rows)].
void CopyColumns(Context const& ctx, DenseBlock const& block, std::vector<float>* columns);

/// Calls fn(feature, part) for the parts of every column in the order of the rows. Different columns run on several
/// threads.
template <typename Fn>
void ForEachColumnPart(Context const& ctx, DenseRows const& data, std::int64_t rows_per_part, Span<float const> weights,
                       Fn&& fn) {
  constexpr std::int64_t kColumnsPerGroup = 16;  // float32 values of a cache line, which is read whole
  // values that may be copied at once, so that threads synchronise less often
  constexpr std::int64_t kFewValues = 1 << 20;
  auto const at_once = std::max<std::int64_t>(ctx.threads, kFewValues / std::max<std::int64_t>(1, rows_per_part));
  auto const group = NumBlocks(at_once, kColumnsPerGroup) * kColumnsPerGroup;
  std::vector<float> columns;
  for (std::int64_t first = 0; first < data.NumCols(); first += group) {
    auto const n_columns = std::min(group, data.NumCols() - first);
    for (std::int64_t row = 0; row < data.NumRows(); row += rows_per_part) {
      auto const n_rows = std::min(rows_per_part, data.NumRows() - row);
      auto const n = static_cast<std::size_t>(n_rows);
      auto const* const values = data.values + row * data.NumCols() + first;
      CopyColumns(ctx, {values, n_rows, n_columns, data.NumCols()}, &columns);
      ParallelFor(ctx, n_columns, [&](std::int64_t column) {
        fn(static_cast<std::size_t>(first + column), ColumnPart{{columns.data() + column * ColumnStride(n_rows), n},
                                                                weights.empty() ? weights : weights.subspan(row, n)});
      });
    }
  }
}

/// The same for any matrix that stores values.
template <typename Fn>
void ForEachColumnPart(Context const& ctx, DataMatrix const& data, std::int64_t rows_per_part,
                       Span<float const> weights, Fn&& fn) {
  if (data.IsDense()) {
    DenseRows const rows{data.Dense().values.data(), data.NumRows(), data.NumCols()};
    ForEachColumnPart(ctx, rows, rows_per_part, weights, fn);
    return;
  }
  constexpr std::int64_t kColumnsPerTask = 64;  // wide data have short columns
  for (std::int64_t row = 0; row < data.NumRows(); row += rows_per_part) {
    SparseColumns const columns(ctx, data, row, std::min(row + rows_per_part, data.NumRows()), weights);
    ParallelForBlocks(ctx, data.NumCols(), kColumnsPerTask, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
      for (auto feature = static_cast<std::size_t>(begin); feature < static_cast<std::size_t>(end); ++feature) {
        fn(feature, columns.Of(feature));
      }
    });
  }
}

/// [part][column]: the number of entries of this part of the rows, later the place of the first of them.
using ColumnPlaces = std::vector<std::vector<std::int64_t>>;

/// Returns the number of rows per part: one part per thread, or fewer parts if the tables of counts would be larger
/// than the data.
inline std::int64_t RowsPerColumnPart(Context const& ctx, std::int64_t n_rows, std::int64_t n_cols,
                                      std::int64_t n_entries) {
  auto const worth_it = std::max<std::int64_t>(1, n_entries / std::max<std::int64_t>(1, 4 * n_cols));
  return std::max<std::int64_t>(1, NumBlocks(n_rows, std::min<std::int64_t>(ctx.threads, worth_it)));
}

/// Turns counts into places, column by column, parts in order within a column. begin: [n_cols + 1], first places of the
/// columns.
inline void PlaceColumns(ColumnPlaces* counts, std::vector<std::int64_t>* begin) {
  std::int64_t place = 0;
  for (std::size_t column = 0; column < begin->size(); ++column) {
    (*begin)[column] = place;
    if (column + 1 == begin->size()) break;
    for (auto& part : *counts) {
      auto const count = part[column];
      part[column] = place;
      place += count;
    }
  }
}

}  // namespace kauri
