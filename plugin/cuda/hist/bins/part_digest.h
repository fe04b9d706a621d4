/// \file A digest that detects whether two passes over batches on the device saw the same rows; like
/// data/bins/row_digest.h, for rows in device memory.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/row_parts.h"

namespace kauri::cuda {

/// Adds the rows of the part, of n_cols columns, at their places. sum (in, out): device. Asynchronous. Reads each
/// element once.
void AddDigest(CudaContext const& cuda, RowPart const& part, std::int64_t n_cols, std::uint64_t* sum);

}  // namespace kauri::cuda
