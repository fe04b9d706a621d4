/// \file A gradient table for kernels, and the sums of all its rows and of their squares.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "kauri/gradient.h"
#include "kauri/span.h"
#include "tree/gain_noise.h"

namespace kauri::cuda {

/// Rows of a GradientTableView in device memory. Not owning.
struct TableOnDevice {
  std::int32_t const* values;  ///< [n_rows, stride]; zeros behind the first n_sums of a row
  std::uint32_t stride;        ///< a multiple of 4
  std::uint32_t n_sums;        ///< gradients, then hessians; if rows are counted, then 1 in used rows
};

inline TableOnDevice TableOf(GradientTableView const& table) {
  return {table.values.data(), static_cast<std::uint32_t>(table.stride),
          static_cast<std::uint32_t>(table.NumOutputs() + table.n_hessians)};
}

/// Returns the sums over the rows, [n_sums], on the host; waits for them. Bytes per row: 4 * stride.
std::vector<std::int64_t> SumTableRows(CudaContext const& cuda, TableOnDevice const& table, std::int64_t n_rows);

/// Returns the sums of squares over the rows, [n_sums], on the host; waits for them. Bytes per row: 4 * stride.
std::vector<SquareSum> SquareTableRows(CudaContext const& cuda, TableOnDevice const& table, std::int64_t n_rows);

/// A table with one more sum, the number of rows, like CountedTable on the host (tree/hist_vector/vector_grower.cc).
class CountedRows {
 public:
  /// sampled: [n_rows], device; empty: all rows are used.
  CountedRows(CudaContext const& cuda, TableOnDevice const& table, std::int64_t n_rows,
              Span<std::uint8_t const> sampled);
  TableOnDevice const& Table() const { return table_; }

 private:
  Buffer<std::int32_t> values_;
  TableOnDevice table_;
};

}  // namespace kauri::cuda
