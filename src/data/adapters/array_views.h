/// \file Views of a caller's arrays for predictions, which may hold infinite values.
///
/// Trees compare infinities like any value beyond every threshold, but bins cannot hold them. Stored data with
/// infinities are therefore refused; rows that are predicted in place may hold them for clients that expect it
/// (XGBoost's).
///
/// Column-compressed arrays, as in scipy.sparse.csc_matrix, are converted to rows.
#pragma once

#include <cstdint>
#include <memory>

#include "kauri/data_matrix.h"

namespace kauri {

/// Treatment of infinite values in a view.
enum class Infinities {
  kRefused,          ///< an error when the view is made, or when rows are read, as in the views of data_matrix.h
  kRefusedWhenRead,  ///< an error when rows are read, for readers that copy rows: making the view reads nothing
  kTaken             ///< accepted as they are
};

/// Rules for the values of a caller.
struct ValueRules {
  float missing;  ///< the number that represents a missing value, or NaN
  Infinities infinities;
};

std::unique_ptr<DataView> MakeDenseView(ArrayView const& array, ValueRules const& rules, Context const& ctx);
std::unique_ptr<DataView> MakeCsrView(ArrayView const& indptr, ArrayView const& indices, ArrayView const& values,
                                      std::int64_t n_cols, ValueRules const& rules, Context const& ctx);

/// Transposes CSC arrays into a matrix: indptr [n_cols + 1], indices (rows) and values [n_entries], in any order within
/// a column. Repeated entries are added up (SumRepeated). Makes two passes over the entries and one over the result, on
/// all threads, and needs 4 bytes per entry temporarily besides the result. \throws Error(kData) for bounds, and for
/// infinite values unless `missing` is infinite.
std::unique_ptr<DataMatrix> MakeCscMatrix(Context const& ctx, ArrayView const& indptr, ArrayView const& indices,
                                          ArrayView const& values, std::int64_t n_rows, float missing);

}  // namespace kauri
