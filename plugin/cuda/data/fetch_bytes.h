/// \file Large arrays out of device memory into memory that no page is provided for yet.
#pragma once

#include <cstddef>

#include "cuda/common/cuda_context.h"

namespace kauri::cuda {

/// Waits for the bytes. They come through two page-locked buffers of 1 MiB: while one crosses the bus, the other is
/// copied to where it goes. The system's copy of pageable memory would hold up whoever launches kernels meanwhile.
void FetchBytes(CudaContext const& cuda, char const* from, std::size_t n_bytes, char* to);

}  // namespace kauri::cuda
