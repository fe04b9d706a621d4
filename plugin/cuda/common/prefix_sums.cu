/// 1. One warp per block of kRowBlock values brings them into shared memory, a tile at a time. Its first lanes add them
///    up one after the other, one lane for each part.
/// 2. One warp does the same with the sums of the blocks.
/// Bytes per value and part: 8 in, 8 out. The chain of a block takes about 30 us; the chains of all blocks run in
/// parallel.
#include "common/threads/parallel_for.h"
#include "cuda/common/launch.h"
#include "cuda/common/prefix_sums.h"

namespace kauri::cuda {
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
