/// \file The values of a matrix, sorted column by column once, for bin edges whose weights differ from tree to tree.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/memory_plan.h"
#include "cuda/data/row_parts.h"
#include "cuda/hist/bins/column_keys.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri::cuda {

/// Arrays in device memory: 8 bytes a value, and 4 more if the rows are in host memory. Made by OrderColumns.
struct OrderedColumns {
  std::int64_t n_rows = 0;
  std::int64_t n_cols = 0;
  Buffer<std::uint32_t> keys;       ///< [n_cols, n_rows], each column ascending (column_keys.h), missing values last
  Buffer<std::uint32_t> rows;       ///< [n_cols, n_rows], the row of each key
  Buffer<ColumnSummary> summaries;  ///< [n_cols], without regard to weights
  Buffer<float> values;             ///< [n_rows, n_cols]; empty if they are on the device already
};

/// Returns the memory of OrderedColumns for a matrix, plus the memory that sorting needs.
std::vector<MemoryPart> OrderedMemory(DataMatrix const& data);

/// Sorts the columns. data: dense, its values kept, without categories. Asynchronous, except that rows in host memory
/// are read once. Floor on an H200, 10 M rows of 28 columns: a sort of pairs in four passes of 16 bytes each, 5 ms at 4
/// TB/s; 20 ms at the 15 Gpairs/s that such sorts reach. \throws Error(kDevice) for rows on another device.
OrderedColumns OrderColumns(CudaContext const& cuda, Context const& ctx, DataMatrix const& data);

/// Returns the matrix's rows as one part, without copying them.
RowPart RowsInPlace(CudaContext const& cuda, DataMatrix const& data, OrderedColumns const& columns);

}  // namespace kauri::cuda
