/// \file Small row-wise kernels of the exact builder.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "kauri/gradient.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// The sum of all pairs, on the host; waits for it.
FixedSum SumPairs(CudaContext const& ctx, Span<FixedPair const> pairs);

void FillPositions(CudaContext const& ctx, std::int32_t position, Span<std::int32_t> positions);

/// positions[row] = 0 for a sampled row, -1 for another.
void MarkSampled(CudaContext const& ctx, Span<std::uint8_t const> sampled, std::int32_t* positions);

}  // namespace kauri::cuda
