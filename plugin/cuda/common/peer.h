/// \file Between the memories of two devices.
///
/// Where the devices reach each other (NVLink, or PCIe where the host allows it) a copy crosses once, at the speed of
/// the link; elsewhere the driver takes it through the host's memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "cuda/common/check.h"
#include "cuda/common/cuda_context.h"

namespace kauri::cuda {

/// Lets two devices reach the async pools of each other, where they can. Idempotent.
void ReachEachOther(int one, int other);
/// Whether kernels of a device may read memory of another's pool, after ReachEachOther, or of its own.
bool CanRead(int device, int owner);

/// On the stream of `to_cuda`. What `from`, memory of `device` or page-locked memory of the host, holds must be there
/// by then (Event::HoldBack), and stay until the stream has passed.
template <typename T>
void CopyFromDevice(CudaContext const& to_cuda, int device, T const* from, std::size_t size, T* to) {
  if (size == 0) return;
  if (device == to_cuda.device) {
    KAURI_CUDA_CHECK(cudaMemcpyAsync(to, from, size * sizeof(T), cudaMemcpyDefault, to_cuda.stream));
    return;
  }
  KAURI_CUDA_CHECK(cudaMemcpyPeerAsync(to, to_cuda.device, from, device, size * sizeof(T), to_cuda.stream));
}

}  // namespace kauri::cuda
