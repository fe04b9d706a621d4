/// \file Copies of large arrays from device memory, part by part.
#pragma once

#include <cstddef>
#include <functional>

#include "cuda/common/cuda_context.h"

namespace kauri::cuda {

/// Passes the bytes to `take` in order, in as many calls as needed. They come through two page-locked buffers of 1 MiB:
/// while one crosses the bus, the other is taken. The system's copy to pageable memory would block other threads that
/// launch kernels meanwhile.
void FetchBytes(CudaContext const& cuda, char const* from, std::size_t n_bytes,
                std::function<void(char const* bytes, std::size_t n_bytes)> const& take);

}  // namespace kauri::cuda
