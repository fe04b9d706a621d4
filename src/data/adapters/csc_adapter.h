/// \file Column-compressed arrays, as in scipy.sparse.csc_matrix.
#pragma once

#include <cstdint>
#include <memory>

#include "kauri/data_matrix.h"

namespace kauri {

/// Transposes CSC arrays into a matrix: indptr [n_cols + 1], indices (rows) and values [n_entries], in any order within
/// a column. Repeated entries are added up (SumRepeated). Makes two passes over the entries and one over the result, on
/// all threads, and needs 4 bytes per entry temporarily besides the result. \throws Error(kData) for bounds, and for
/// infinite values unless `missing` is infinite.
std::unique_ptr<DataMatrix> MakeCscMatrix(Context const& ctx, ArrayView const& indptr, ArrayView const& indices,
                                          ArrayView const& values, std::int64_t n_rows, float missing);

}  // namespace kauri
