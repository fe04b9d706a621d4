/// \file Column-compressed arrays, as scipy.sparse.csc_matrix holds them.
#pragma once

#include <cstdint>
#include <memory>

#include "kauri/data_matrix.h"

namespace kauri {

/// Transposes CSC arrays into a matrix: indptr [n_cols + 1], indices (rows) and values [n_entries], in any
/// order within a column. What a column stores twice for a row is added up (SumRepeated). Two passes over the entries
/// and one over the result, on all threads; besides the result 4 bytes per entry for a while. \throws Error(kData) for
/// bounds, and for infinite values unless `missing` is.
std::unique_ptr<DataMatrix> MakeCscMatrix(Context const& ctx, ArrayView const& indptr, ArrayView const& indices,
                                          ArrayView const& values, std::int64_t n_rows, float missing);

}  // namespace kauri
