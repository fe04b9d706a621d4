/// \file Float64 sums in the host's order (common/sums.h): eight neighbouring threads are the eight lanes.
#pragma once

#include <cstdint>

#include "common/sums.h"
#include "cuda/common/launch.h"

namespace kauri::cuda {

constexpr int kLaneThreads = static_cast<int>(kSumLanes);

/// Returns value_of(0) + ... + value_of(n - 1), in all eight threads; each thread evaluates every eighth value. All
/// eight threads call it with the same n; other threads of the warp may be elsewhere.
template <typename Fn>
__device__ double SumInTeam(std::int64_t n, Fn const& value_of) {
  int const lane = static_cast<int>(threadIdx.x) % kLaneThreads;
  int const first = static_cast<int>(threadIdx.x) % 32 - lane;
  unsigned const mask = 0xFFU << static_cast<unsigned>(first);
  double total = 0.0;
  for (std::int64_t begin = 0; begin < n; begin += kRowBlock) {
    std::int64_t const end = begin + kRowBlock < n ? begin + kRowBlock : n;
    double sum = 0.0;
#pragma unroll 4
    for (std::int64_t i = begin + lane; i < end; i += kLaneThreads) sum += value_of(i);
    double block = 0.0;
    for (int from = 0; from < kLaneThreads; ++from) block += __shfl_sync(mask, sum, from, kLaneThreads);
    total += block;
  }
  return total;
}

/// Returns the number of the thread's team of eight in the grid, for blocks of a multiple of 32 threads.
__device__ __forceinline__ std::int64_t LaneTeam() {
  return (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / kLaneThreads;
}
__device__ __forceinline__ bool IsFirstLane() { return threadIdx.x % kLaneThreads == 0; }

}  // namespace kauri::cuda
