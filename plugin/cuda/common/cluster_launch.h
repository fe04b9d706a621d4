/// \file Launches of clusters: blocks of threads that run at the same time, wait for each other and read each other's
/// shared memory (compute capability 9.0 and above).
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "cuda/common/cuda_context.h"
#include "cuda/common/launch.h"

namespace kauri::cuda {

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
