#include <algorithm>

#include "cuda/common/launch.h"
#include "cuda/tree/sum_pairs.h"

namespace kauri::cuda {
namespace {

constexpr int kThreads = 256;
using Word = unsigned long long;

/// sum: gradient and hessian as two's complement; integer additions commute, so atomics are deterministic.
__global__ void SumPairsKernel(Span<FixedPair const> pairs, Word* sum) {
  std::int64_t gradient = 0;
  std::int64_t hessian = 0;
  auto const stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (auto row = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; row < pairs.size(); row += stride) {
    gradient += pairs.data()[row].gradient;
    hessian += pairs.data()[row].hessian;
  }
  for (int step = 16; step > 0; step /= 2) {
    gradient += __shfl_down_sync(0xFFFFFFFFU, gradient, step);
    hessian += __shfl_down_sync(0xFFFFFFFFU, hessian, step);
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(sum, static_cast<Word>(gradient));
    atomicAdd(sum + 1, static_cast<Word>(hessian));
  }
}

}  // namespace

FixedSum SumPairs(CudaContext const& ctx, Span<FixedPair const> pairs) {
  Buffer<Word> sum(ctx, 2);
  FillZero(ctx, sum.data(), 2);
  auto const grid = std::min(1024U, GridFor(static_cast<std::int64_t>(pairs.size()), kThreads));
  Launch(ctx, grid, kThreads, SumPairsKernel, pairs, sum.data());
  auto const words = ToHost(ctx, sum.data(), 2);
  return {static_cast<std::int64_t>(words[0]), static_cast<std::int64_t>(words[1])};
}

}  // namespace kauri::cuda
