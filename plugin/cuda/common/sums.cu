#include "common/threads/parallel_for.h"
#include "cuda/common/launch.h"
#include "cuda/common/sums.cuh"
#include "cuda/common/sums.h"

namespace kauri::cuda {
namespace {

// A value has one or two float64 parts that are added up separately.
// 1. Eight threads per block of kRowBlock values and part add it up, one lane each: 64 contiguous bytes per step.
// 2. One block of threads adds the sums of the blocks in order: a chain of one addition per kRowBlock values.

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

// 1. One warp per block of kRowBlock values brings them into shared memory, a tile at a time. Its first lanes add them
//    up one after the other, one lane for each part.
// 2. One warp does the same with the sums of the blocks.
// Bytes per value and part: 8 in, 8 out. The chain of a block takes about 30 us; the chains of all blocks run in
// parallel.

namespace {

constexpr int kWarp = 32;
constexpr int kTile = 512;  ///< float64 values of all parts

/// Computes a chain for each block of `block_size` of the n values. sums (out): [n_blocks, kParts] or nullptr.
template <int kParts>
__global__ void __launch_bounds__(kWarp)
    ChainsKernel(std::int64_t n, std::int64_t block_size, double* values, double* sums) {
  __shared__ double tile[kTile];
  int const lane = static_cast<int>(threadIdx.x);
  std::int64_t const begin = static_cast<std::int64_t>(blockIdx.x) * block_size * kParts;
  std::int64_t const end_of_block = begin + block_size * kParts;
  std::int64_t const end = end_of_block < n * kParts ? end_of_block : n * kParts;
  double sum = 0.0;
  for (std::int64_t first = begin; first < end; first += kTile) {
    int const count = static_cast<int>(end - first < kTile ? end - first : kTile);
    for (int i = lane; i < count; i += kWarp) tile[i] = values[first + i];
    __syncwarp();
    if (lane < kParts) {
#pragma unroll 8
      for (int i = lane; i < count; i += kParts) tile[i] = sum += tile[i];
    }
    __syncwarp();
    for (int i = lane; i < count; i += kWarp) values[first + i] = tile[i];
    __syncwarp();  // before the tile is filled again
  }
  if (sums != nullptr && lane < kParts) sums[static_cast<std::int64_t>(blockIdx.x) * kParts + lane] = sum;
}

}  // namespace

template <int kParts>
DevicePrefixSums<kParts>::DevicePrefixSums(CudaContext const& cuda, std::int64_t n, double* values)
    : within_(values), before_(cuda, static_cast<std::size_t>((NumBlocks(n, kRowBlock) + 1) * kParts)) {
  static_assert(kTile % kParts == 0 && kParts <= kWarp, "whole values fit into a tile, a lane for each part");
  auto const n_blocks = NumBlocks(n, kRowBlock);
  auto* const sums = before_.data() + kParts;
  FillZero(cuda, before_.data(), kParts);
  Launch(cuda, static_cast<unsigned>(n_blocks), kWarp, ChainsKernel<kParts>, n, kRowBlock, values, sums);
  if (n_blocks == 0) return;
  Launch(cuda, 1, kWarp, ChainsKernel<kParts>, n_blocks, n_blocks, sums, static_cast<double*>(nullptr));
}

template class DevicePrefixSums<1>;
template class DevicePrefixSums<2>;

}  // namespace kauri::cuda
