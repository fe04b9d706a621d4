/// \file The root of a tree.
#pragma once

#include "cuda/common/cuda_context.h"
#include "kauri/gradient.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// The sum of all pairs, on the host; waits for it.
FixedSum SumPairs(CudaContext const& ctx, Span<FixedPair const> pairs);

}  // namespace kauri::cuda
