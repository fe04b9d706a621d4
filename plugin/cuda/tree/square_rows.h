/// \file Sums of squared gradients, which determine the noise of random_strength (tree/growth/tree_common.h).
#pragma once

#include "cuda/common/cuda_context.h"
#include "kauri/gradient.h"
#include "kauri/span.h"
#include "tree/gain_noise.h"

namespace kauri::cuda {

/// Returns the sum of squared gradients. pairs: device; zero in rows that are not sampled. Waits for the stream. Bytes
/// per row: 8.
SquareSum SquareRows(CudaContext const& cuda, Span<FixedPair const> pairs);

}  // namespace kauri::cuda
