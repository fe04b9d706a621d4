/// \file The one way to look at the result of a CUDA runtime call.
#pragma once

#include <cuda_runtime_api.h>

namespace kauri::cuda {

/// Does nothing for cudaSuccess. \throws Error(kMemory) when the device has no memory left, else Error(kDevice): `what`
/// (the call, as written), CUDA's name and text for the code, and where it was. Clears an error that is not sticky.
void CheckCuda(cudaError_t code, char const* what, char const* file, int line);

}  // namespace kauri::cuda

/// KAURI_CUDA_CHECK(cudaMalloc(&pointer, bytes));
#define KAURI_CUDA_CHECK(call) ::kauri::cuda::CheckCuda((call), #call, __FILE__, __LINE__)
