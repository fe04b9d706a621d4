/// \file Small row-wise kernels of the exact builder.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "kauri/span.h"

namespace kauri::cuda {

void FillPositions(CudaContext const& ctx, std::int32_t position, Span<std::int32_t> positions);

/// Sets one bit per row: whether it is sampled. goes_left: [ceil(n_rows / 32)].
void MarkSampled(CudaContext const& ctx, Span<std::uint8_t const> sampled, std::uint32_t* goes_left);

}  // namespace kauri::cuda
