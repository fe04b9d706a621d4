/// \file The squares of gradients that the noise of random_strength follows from (tree/growth/noise_deviation.h).
#pragma once

#include "cuda/common/cuda_context.h"
#include "kauri/gradient.h"
#include "kauri/span.h"
#include "tree/growth/square_sum.h"

namespace kauri::cuda {

/// pairs: device; those of rows that are not sampled are zero. Waits for the stream. Bytes per row: 8.
SquareSum SquareRows(CudaContext const& cuda, Span<FixedPair const> pairs);

}  // namespace kauri::cuda
