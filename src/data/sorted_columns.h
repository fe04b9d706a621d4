/// \file The columns of a matrix, each sorted by value, for exact split finding.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/span.h"

namespace kauri {

/// A present value and its row.
struct ColumnEntry {
  std::uint32_t row;
  float value;  ///< finite, never -0
};

/// Sorted columns. Immutable; 8 bytes per present value. Entries ascend by (value, row) within a column; missing values
/// are not stored.
class SortedColumns {
 public:
  /// Costs one extraction and a radix sort per column, columns in parallel.
  /// \throws Error(kData) for 2^32 - 1 rows or more.
  SortedColumns(Context const& ctx, DataMatrix const& data);

  std::int64_t NumRows() const { return n_rows_; }
  std::int64_t BytesHeld() const { return NumEntries() * static_cast<std::int64_t>(sizeof(ColumnEntry)); }
  std::int64_t NumCols() const { return static_cast<std::int64_t>(column_ptr_.size()) - 1; }
  std::int64_t NumEntries() const { return column_ptr_.back(); }
  /// Returns the beginning of each column in Entries(): [n_cols + 1].
  std::vector<std::int64_t> const& ColumnPtr() const { return column_ptr_; }
  Span<ColumnEntry const> Entries() const { return {entries_.get(), static_cast<std::size_t>(NumEntries())}; }
  Span<ColumnEntry const> Column(std::int64_t feature) const;
  /// Returns whether no value is missing.
  bool IsComplete(std::int64_t feature) const;
  /// Returns whether there is a present value and all present values are equal.
  bool IsConstant(std::int64_t feature) const;

 private:
  std::int64_t n_rows_;
  std::vector<std::int64_t> column_ptr_;
  std::unique_ptr<ColumnEntry[]> entries_;  // not a vector: its zeroing would touch every page on one thread
};

}  // namespace kauri
