/// \file A number that tells whether two passes over batches on the device saw the same rows: as
/// data/bins/row_digest.h, for rows that stay there.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/row_parts.h"

namespace kauri::cuda {

/// sum (in, out): device; the rows of the part, of n_cols columns, are added at their places. Asynchronous. Reads each
/// element once.
void AddDigest(CudaContext const& cuda, RowPart const& part, std::int64_t n_cols, std::uint64_t* sum);

}  // namespace kauri::cuda
