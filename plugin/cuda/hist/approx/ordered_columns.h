/// \file The values of a matrix, sorted column by column once for cuts whose weights differ from tree to tree.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/memory_plan.h"
#include "cuda/hist/bins/column_keys.h"
#include "cuda/hist/bins/row_parts.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri::cuda {

/// In device memory: 8 bytes a value, and 4 more where the rows are the host's. Made by OrderColumns.
struct OrderedColumns {
  std::int64_t n_rows = 0;
  std::int64_t n_cols = 0;
  Buffer<std::uint32_t> keys;       ///< [n_cols, n_rows], each column ascending (column_keys.h); missing ones last
  Buffer<std::uint32_t> rows;       ///< [n_cols, n_rows], the row of each key
  Buffer<ColumnSummary> summaries;  ///< [n_cols], of values without weights
  Buffer<float> values;             ///< [n_rows, n_cols]; empty: they are on the device already
};

/// What OrderedColumns take of a matrix, and what sorting them takes besides.
std::vector<MemoryPart> OrderedMemory(DataMatrix const& data);

/// data: dense, its values kept, without categories. Asynchronous but for rows of the host, which it reads once.
/// Floor on an H200, 10 M rows of 28 columns: a sort of pairs in four passes of 16 bytes each, 5 ms at 4 TB/s; 20 at
/// the 15 Gpairs/s of such sorts. \throws Error(kDevice) for rows on another device.
OrderedColumns OrderColumns(CudaContext const& cuda, Context const& ctx, DataMatrix const& data);

/// The matrix's rows as one part, where they are.
RowPart RowsInPlace(CudaContext const& cuda, DataMatrix const& data, OrderedColumns const& columns);

}  // namespace kauri::cuda
