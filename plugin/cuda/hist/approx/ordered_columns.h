/// \file The values of a matrix, sorted column by column once, for bin edges whose weights differ from tree to tree.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/memory_plan.h"
#include "cuda/data/row_parts.h"
#include "cuda/hist/bins/column_keys.h"
#include "cuda/tree/cut_rows.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri::cuda {

/// Arrays in device memory: 8 bytes a value. Columns are all columns of a matrix, or those of a device
/// (column_share.h).
struct OrderedColumns {
  std::int64_t n_rows = 0;
  std::int64_t n_cols = 0;
  Buffer<std::uint32_t> keys;       ///< [n_cols, n_rows], each column ascending (column_keys.h), missing values last
  Buffer<std::uint32_t> rows;       ///< [n_cols, n_rows], the row of each key
  Buffer<ColumnSummary> summaries;  ///< [n_cols], without regard to weights
};

/// Returns the memory of OrderedColumns, plus the memory that sorting needs.
std::vector<MemoryPart> OrderedMemory(std::int64_t n_rows, std::int64_t n_cols);

/// Returns keys and summaries of the columns `cols`, in the order of the rows, without `rows`. rows: all rows of the
/// matrix. Asynchronous.
OrderedColumns KeysInRowOrder(CudaContext const& cuda, RowPart rows, ShardRange cols);

/// Sorts the columns of KeysInRowOrder. Asynchronous. Floor on an H200, 10 M rows of 28 columns: a sort of pairs in
/// four passes of 16 bytes each, 5 ms at 4 TB/s; 20 ms at the 15 Gpairs/s that such sorts reach.
void SortColumns(CudaContext const& cuda, OrderedColumns* columns);

/// The values of a dense matrix without categories, which stay where they are if they are on the device; otherwise they
/// are copied, 4 bytes a value.
class MatrixRows {
 public:
  MatrixRows() = default;
  /// Reads rows in host memory once, and waits for them.
  MatrixRows(CudaContext const& cuda, Context const& ctx, DataMatrix const& data);
  /// Returns the memory that the constructor needs.
  static std::vector<MemoryPart> Memory(DataMatrix const& data);
  /// Returns all rows as one part. \throws Error(kDevice) for rows on another device.
  RowPart All(CudaContext const& cuda, DataMatrix const& data) const;

 private:
  Buffer<float> values_;  ///< [n_rows, n_cols]; empty if the rows are on the device already
};

/// Returns the first n_rows of these rows.
RowPart FirstRows(RowPart rows, std::int64_t n_rows);

}  // namespace kauri::cuda
