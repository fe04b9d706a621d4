/// A value has one or two float64 parts that are added up separately.
/// 1. Eight threads per block of kRowBlock values and part add it up, one lane each: 64 contiguous bytes per step.
/// 2. One block of threads adds the sums of the blocks in order: a chain of one addition per kRowBlock values.
#include "cuda/common/lane_sums.cuh"
#include "cuda/common/lane_sums.h"
#include "cuda/common/launch.h"

namespace kauri::cuda {
namespace {

constexpr int kThreads = 128;

/// values: [n, kParts]; sums (out): [n_blocks, kParts].
template <int kParts>
__global__ void __launch_bounds__(kThreads) BlockSumsKernel(double const* values, std::int64_t n, double* sums) {
  std::int64_t const team = LaneTeam();
  std::int64_t const begin = team / kParts * kRowBlock;
  int const part = static_cast<int>(team % kParts);
  if (begin >= n) return;
  std::int64_t const size = n - begin < kRowBlock ? n - begin : kRowBlock;
  double const sum = SumInTeam(size, [=](std::int64_t i) { return values[(begin + i) * kParts + part]; });
  if (IsFirstLane()) sums[team] = sum;
}

/// Sets sums[0 .. kParts) to the sum of all blocks, added in order. One block; the first lane of a warp for each part.
template <int kParts>
__global__ void __launch_bounds__(kThreads) AddBlocksKernel(std::int64_t n_blocks, double* sums) {
  __shared__ double staged[kThreads * kParts];
  int const part = static_cast<int>(threadIdx.x) / 32;
  bool const adds = threadIdx.x % 32 == 0 && part < kParts;
  double total = 0.0;
  for (std::int64_t base = 0; base < n_blocks; base += kThreads) {
    int const n = static_cast<int>(n_blocks - base < kThreads ? n_blocks - base : kThreads);
    for (int i = static_cast<int>(threadIdx.x); i < n * kParts; i += kThreads) staged[i] = sums[base * kParts + i];
    __syncthreads();
    if (adds) {
#pragma unroll 8
      for (int i = 0; i < n; ++i) total += staged[i * kParts + part];
    }
    __syncthreads();
  }
  if (adds) sums[part] = total;
}

template <int kParts>
std::vector<double> SumParts(CudaContext const& cuda, double const* values, std::size_t size) {
  auto const n = static_cast<std::int64_t>(size);
  auto const n_blocks = NumBlocks(n, kRowBlock);
  if (n == 0) return std::vector<double>(kParts, 0.0);
  Buffer<double> sums(cuda, static_cast<std::size_t>(n_blocks * kParts));
  Launch(cuda, GridFor(n_blocks * kParts * kLaneThreads, kThreads), kThreads, BlockSumsKernel<kParts>, values, n,
         sums.data());
  Launch(cuda, 1, kThreads, AddBlocksKernel<kParts>, n_blocks, sums.data());
  return ToHost(cuda, sums.data(), kParts);  // waits for the sum
}

}  // namespace

double SumValues(CudaContext const& cuda, Span<double const> values) {
  return SumParts<1>(cuda, values.data(), values.size())[0];
}

WeightedSum SumScores(CudaContext const& cuda, Span<WeightedSum const> scores) {
  static_assert(sizeof(WeightedSum) == 2 * sizeof(double), "read as pairs of float64");
  auto const sum = SumParts<2>(cuda, reinterpret_cast<double const*>(scores.data()), scores.size());
  return {sum[0], sum[1]};
}

}  // namespace kauri::cuda
