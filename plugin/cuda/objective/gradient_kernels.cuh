/// \file Code shared by the kernels of objectives: one thread per element or per row.
#pragma once

#include <cstdint>

#include "cuda/common/launch.h"
#include "cuda/data/device_info.h"
#include "kauri/gradient.h"
#include "kauri/span.h"
#include "objective/labels.h"

namespace kauri::cuda {

constexpr int kGradientThreads = 256;

__device__ __forceinline__ std::int64_t GridThread() {
  return static_cast<std::int64_t>(blockIdx.x) * kGradientThreads + threadIdx.x;
}

__device__ __forceinline__ float WeightOf(DeviceInfo const& info, std::int64_t row) {
  return info.weights.empty() ? 1.0F : info.weights.data()[row];
}

template <typename Link>
__global__ void __launch_bounds__(kGradientThreads) LinkKernel(Link link, Span<float> values) {
  std::int64_t const i = GridThread();
  if (i < static_cast<std::int64_t>(values.size())) values.data()[i] = link(values.data()[i]);
}

/// Replaces values by link(values).
template <typename Link>
void ApplyLinkOnDevice(CudaContext const& cuda, Link link, Span<float> values) {
  auto const n = static_cast<std::int64_t>(values.size());
  Launch(cuda, GridFor(n, kGradientThreads), kGradientThreads, LinkKernel<Link>, link, values);
}

}  // namespace kauri::cuda
