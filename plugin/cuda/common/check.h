/// \file The only check of the results of CUDA runtime calls.
#pragma once

#include <cuda_runtime_api.h>

namespace kauri::cuda {

/// Does nothing for cudaSuccess. \throws Error(kMemory) if the device has no memory left, else Error(kDevice). The
/// message has `what` (the call, as written), CUDA's name and text for the code, and the place. Clears an error that is
/// not sticky.
void CheckCuda(cudaError_t code, char const* what, char const* file, int line);

}  // namespace kauri::cuda

/// KAURI_CUDA_CHECK(cudaMalloc(&pointer, bytes));
#define KAURI_CUDA_CHECK(call) ::kauri::cuda::CheckCuda((call), #call, __FILE__, __LINE__)
