/// \file Reading the rows of a view one by one, as dense floats.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/data_matrix.h"

namespace kauri {

/// A reader for one thread; the view must outlive it.
class RowReader {
 public:
  /// n_cols: the number of leading features to read.
  RowReader(DataView const& rows, std::int64_t n_cols)
      : rows_(rows), n_cols_(n_cols), dense_(n_cols <= rows.NumCols() ? rows.DenseRows() : nullptr) {
    if (dense_ == nullptr) scratch_.resize(static_cast<std::size_t>(n_cols));
  }
  /// Returns a row, [n_cols], NaN where missing; valid until the next call. Costs a copy unless the rows are dense.
  float const* Row(std::int64_t row) {
    if (dense_ != nullptr) return dense_ + row * rows_.NumCols();
    rows_.CopyRows(row, row + 1, n_cols_, scratch_.data());
    return scratch_.data();
  }

 private:
  DataView const& rows_;
  std::int64_t n_cols_;
  float const* dense_;
  std::vector<float> scratch_;
};

}  // namespace kauri
