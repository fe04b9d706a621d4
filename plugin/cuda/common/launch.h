/// \file Kernel launches and CUB calls, both checked. The bare forms are forbidden elsewhere (tests/lint). A cluster is
/// some blocks of threads that run at the same time, wait for each other and read each other's shared memory (compute
/// capability 9.0 and above).
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
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

struct ClusterShape {
  unsigned n_blocks;  ///< blocks of a cluster
  int n_threads;      ///< threads of a block
  std::size_t shared_bytes;
};

/// Returns the configuration for the runtime. It refers to `attribute`, which holds the size of clusters.
inline cudaLaunchConfig_t ClusterConfig(CudaContext const& ctx, unsigned n_clusters, ClusterShape const& shape,
                                        cudaLaunchAttribute* attribute) {
  attribute->id = cudaLaunchAttributeClusterDimension;
  attribute->val.clusterDim.x = shape.n_blocks;
  attribute->val.clusterDim.y = 1;
  attribute->val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(n_clusters * shape.n_blocks);
  config.blockDim = dim3(static_cast<unsigned>(shape.n_threads));
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = ctx.stream;
  config.attrs = attribute;
  config.numAttrs = 1;
  return config;
}

/// Returns the bytes of dynamic shared memory that a block can have besides the memory that the kernel declares itself.
inline std::size_t MostShared(CudaContext const& ctx, void const* kernel) {
  int most = 0;
  KAURI_CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, ctx.device));
  cudaFuncAttributes attributes{};
  KAURI_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  return static_cast<std::size_t>(most) - attributes.sharedSizeBytes;
}

/// Returns 16 or 8: the most blocks that the device runs as one cluster if each has all the shared memory that a block
/// can have. Returns 0 if the device has no clusters.
inline unsigned MostBlocksOfCluster(CudaContext const& ctx, int n_threads, void const* kernel) {
  int has_clusters = 0;
  KAURI_CUDA_CHECK(cudaDeviceGetAttribute(&has_clusters, cudaDevAttrClusterLaunch, ctx.device));
  if (has_clusters == 0) return 0;
  PermitAllShared(ctx, kernel);
  KAURI_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  for (unsigned const n_blocks : {16U, 8U}) {
    cudaLaunchAttribute attribute{};
    auto const config = ClusterConfig(ctx, 1, {n_blocks, n_threads, MostShared(ctx, kernel)}, &attribute);
    int n_clusters = 0;
    KAURI_CUDA_CHECK(cudaOccupancyMaxActiveClusters(&n_clusters, kernel, &config));
    if (n_clusters > 0) return n_blocks;
  }
  return 0;
}

/// Launches clusters of a kernel for which MostBlocksOfCluster was called.
template <typename... Params, typename... Args>
void LaunchClusters(CudaContext const& ctx, unsigned n_clusters, ClusterShape const& shape, void (*kernel)(Params...),
                    Args&&... args) {
  cudaLaunchAttribute attribute{};
  auto const config = ClusterConfig(ctx, n_clusters, shape, &attribute);
  KAURI_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, std::forward<Args>(args)...));
}

}  // namespace kauri::cuda
