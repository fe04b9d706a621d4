/// \file Copies between the memories of two devices.
///
/// If the devices have peer access (NVLink, or PCIe if the host allows it) a copy crosses once, at the speed of the
/// link. Otherwise the driver takes it through the host's memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "cuda/common/cuda_context.h"

namespace kauri::cuda {

/// Gives two devices access to each other's async pools, if possible. Idempotent.
void ReachEachOther(int one, int other);
/// Returns whether kernels of `device` may read memory of the pool of `owner`, after ReachEachOther, or of their own.
bool CanRead(int device, int owner);

/// Copies on the stream of `to_cuda`. `from` is memory of `device` or page-locked memory of the host. Its contents must
/// be ready by then (Event::HoldBack), and stay until the stream has passed.
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
