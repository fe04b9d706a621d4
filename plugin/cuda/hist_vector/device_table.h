/// \file A gradient table as kernels see it, and the sum of all its rows.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "kauri/gradient.h"

namespace kauri::cuda {

/// Rows of a GradientTableView, device. Not owning.
struct TableOnDevice {
  std::int32_t const* values;  ///< [n_rows, stride]; zeros behind the first n_sums of a row
  std::uint32_t stride;        ///< a multiple of 4
  std::uint32_t n_sums;        ///< gradients, then hessians
};

inline TableOnDevice TableOf(GradientTableView const& table) {
  return {table.values.data(), static_cast<std::uint32_t>(table.stride),
          static_cast<std::uint32_t>(table.NumOutputs() + table.n_hessians)};
}

/// [n_sums], host; waits for it. Bytes per row: 4 * stride.
std::vector<std::int64_t> SumTableRows(CudaContext const& cuda, GradientTableView const& table);

}  // namespace kauri::cuda
