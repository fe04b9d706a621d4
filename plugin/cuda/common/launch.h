/// \file Kernel launches and CUB calls, both checked. The bare forms are forbidden elsewhere (tests/lint).
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <set>
#include <utility>

#include "common/threads/per_thread.h"
#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"

namespace kauri::cuda {

/// Returns the number of blocks of `block` threads that cover n items.
inline unsigned GridFor(std::int64_t n, int block) { return static_cast<unsigned>((n + block - 1) / block); }

/// Launches `kernel` on the context's stream; nothing for an empty grid. Arguments must have the kernel's types.
template <typename... Params, typename... Args>
void LaunchGrid(CudaContext const& ctx, dim3 grid, int block, void (*kernel)(Params...), Args&&... args) {
  if (grid.x == 0 || grid.y == 0) return;
  kernel<<<grid, block, 0, ctx.stream>>>(std::forward<Args>(args)...);
  KAURI_CUDA_CHECK(cudaGetLastError());
}

template <typename... Params, typename... Args>
void Launch(CudaContext const& ctx, unsigned grid, int block, void (*kernel)(Params...), Args&&... args) {
  LaunchGrid(ctx, dim3(grid), block, kernel, std::forward<Args>(args)...);
}

/// Lets a kernel have as much dynamic shared memory as a block can have on the context's device. The permission belongs
/// to the kernel, not to a launch: a permission for the bytes of one launch could make another thread's launch fail. It
/// is requested once a thread, because it takes three calls of the driver.
inline void PermitAllShared(CudaContext const& ctx, void const* kernel) {
  static PerThread<std::set<std::pair<void const*, int>>> of_threads;
  auto& permitted = of_threads.OfThisThread();
  if (permitted.count({kernel, ctx.device}) != 0) return;
  cudaFuncAttributes attributes{};
  KAURI_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  int most = 0;
  KAURI_CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, ctx.device));
  auto const dynamic = most - static_cast<int>(attributes.sharedSizeBytes);
  KAURI_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, dynamic));
  permitted.emplace(kernel, ctx.device);
}

/// Launches like LaunchGrid, with `shared_bytes` of dynamic shared memory, which may be more than the 48 KiB that need
/// no permission.
template <typename... Params, typename... Args>
void LaunchSharedGrid(CudaContext const& ctx, dim3 grid, int block, std::size_t shared_bytes, void (*kernel)(Params...),
                      Args&&... args) {
  if (grid.x == 0 || grid.y == 0) return;
  // 48 KiB less the memory that the kernel declares itself
  constexpr std::size_t kWithoutPermission = std::size_t{32} << 10U;
  if (shared_bytes > kWithoutPermission) PermitAllShared(ctx, reinterpret_cast<void const*>(kernel));
  kernel<<<grid, block, shared_bytes, ctx.stream>>>(std::forward<Args>(args)...);
  KAURI_CUDA_CHECK(cudaGetLastError());
}

template <typename... Params, typename... Args>
void LaunchShared(CudaContext const& ctx, unsigned grid, int block, std::size_t shared_bytes, void (*kernel)(Params...),
                  Args&&... args) {
  LaunchSharedGrid(ctx, dim3(grid), block, shared_bytes, kernel, std::forward<Args>(args)...);
}

/// Scratch memory of CUB. It grows, so that repeated calls do not allocate.
class CubScratch {
 public:
  /// Runs call(temp_storage, bytes), which returns cudaError_t; a first call queries the bytes.
  template <typename Call>
  void Run(CudaContext const& ctx, Call&& call) {
    std::size_t bytes = 0;
    KAURI_CUDA_CHECK(call(static_cast<void*>(nullptr), bytes));
    storage_.Reserve(ctx, bytes == 0 ? 1 : bytes);
    KAURI_CUDA_CHECK(call(static_cast<void*>(storage_.data()), bytes));
  }

 private:
  Buffer<unsigned char> storage_;
};

}  // namespace kauri::cuda
