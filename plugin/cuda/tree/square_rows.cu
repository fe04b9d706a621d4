#include <algorithm>

#include "cuda/common/buffer.h"
#include "cuda/common/launch.h"
#include "cuda/tree/square_rows.h"

namespace kauri::cuda {
namespace {

constexpr unsigned kMostBlocks = 1024;  // enough to fill a device, and few enough for one addition a warp each

__device__ __forceinline__ std::int64_t WarpSum(std::int64_t value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xFFFFFFFFU, value, step);
  return value;
}

/// Integer additions commute, so atomics are deterministic. sum: initially zero.
__global__ void __launch_bounds__(kBlockThreads) SquareRowsKernel(Span<FixedPair const> pairs, SquareSum* sum) {
  std::int64_t const n_rows = static_cast<std::int64_t>(pairs.size());
  std::int64_t const stride = static_cast<std::int64_t>(gridDim.x) * kBlockThreads;
  SquareSum own;
  for (std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x; row < n_rows;
       row += stride) {
    own.Add(pairs.data()[row].gradient);
  }
  std::int64_t const high = WarpSum(own.high);
  std::int64_t const low = WarpSum(own.low);
  if (threadIdx.x % 32 != 0) return;
  auto* const words = reinterpret_cast<unsigned long long*>(sum);
  atomicAdd(words, static_cast<unsigned long long>(high));
  atomicAdd(words + 1, static_cast<unsigned long long>(low));
}

}  // namespace

SquareSum SquareRows(CudaContext const& cuda, Span<FixedPair const> pairs) {
  static_assert(sizeof(SquareSum) == 2 * sizeof(unsigned long long), "added up as two integers");
  Buffer<SquareSum> sum(cuda, 1);
  FillZero(cuda, sum.data(), 1);
  auto const blocks = std::min(kMostBlocks, GridFor(static_cast<std::int64_t>(pairs.size()), kBlockThreads));
  Launch(cuda, blocks, kBlockThreads, SquareRowsKernel, pairs, sum.data());
  return ToHost(cuda, sum.data(), 1).front();
}

}  // namespace kauri::cuda
