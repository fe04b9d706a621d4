/// \file Large arrays out of device memory, part by part.
#pragma once

#include <cstddef>
#include <functional>

#include "cuda/common/cuda_context.h"

namespace kauri::cuda {

/// Hands over the bytes in order, as often as it takes. They come through two page-locked buffers of 1 MiB: while one
/// crosses the bus, the other is taken. The system's copy to pageable memory would hold up whoever launches kernels
/// meanwhile.
void FetchBytes(CudaContext const& cuda, char const* from, std::size_t n_bytes,
                std::function<void(char const* bytes, std::size_t n_bytes)> const& take);

}  // namespace kauri::cuda
