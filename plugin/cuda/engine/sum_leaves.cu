/// Sums of pairs by leaf, from which leaf values are renewed (engine/rounded_gradients.h).
///
/// Bytes per row: 8 for its pair, 4 for its leaf.
#include <algorithm>

#include "cuda/common/launch.h"
#include "cuda/engine/round_kernels.h"

namespace kauri::cuda {
namespace {

/// Enough to fill a device, and few enough for additions of all nodes each.
constexpr unsigned kMostBlocks = 1024;
/// The same for blocks that have a multiprocessor each.
constexpr unsigned kMostLargeBlocks = 264;

using SumWord = unsigned long long;

/// Maximum number of nodes whose sums a block keeps in shared memory: 192 KiB of a multiprocessor's 227. Larger trees
/// are summed in global memory, 1.3 ms for 10 M rows.
constexpr std::uint32_t kSharedNodes = 12288;
/// A block of up to so many nodes leaves room for others on its multiprocessor; larger ones have more threads.
constexpr std::uint32_t kFewNodes = 1024;
constexpr int kManyThreads = 1024;
/// Words of 32 bits for a node: two for the halves of each of a pair's numbers. They hold the sums of 65,536 rows.
constexpr std::uint32_t kNodeWords = 4;
constexpr int kRowsOfWords = 65536;

/// Calls add(node, pair) for the thread's share of the used rows.
template <typename Add>
__device__ __forceinline__ void ForEachUsed(LeafSumTask const& task, Add&& add) {
  GradientUnit const unit = task.largest->Unit();
  GradientUnit const steps{1.0 / unit.gradient, 1.0 / unit.hessian};
  GradientPair const* const from = task.gradients.pairs.data() + task.output;
  std::int64_t const n_rows = static_cast<std::int64_t>(task.leaf_of_row.size());
  std::int64_t const stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; row < n_rows;
       row += stride) {
    if (!task.sample.IsUsed(row)) continue;
    add(task.leaf_of_row.data()[row], QuantisePair(from[row * task.gradients.n_outputs], steps));
  }
}

__device__ __forceinline__ void AddToNode(FixedSum sum, FixedSum* node) {
  auto* const words = reinterpret_cast<SumWord*>(node);
  atomicAdd(words, static_cast<SumWord>(sum.gradient));
  atomicAdd(words + 1, static_cast<SumWord>(sum.hessian));
}

/// A block has at most kRowsOfWords rows.
__global__ void __launch_bounds__(kManyThreads) SumLeavesInSharedKernel(LeafSumTask task) {
  extern __shared__ std::uint32_t words[];
  for (std::uint32_t i = threadIdx.x; i < kNodeWords * task.n_nodes; i += blockDim.x) words[i] = 0;
  __syncthreads();
  ForEachUsed(task, [&](std::int32_t node, FixedPair pair) {
    std::uint32_t* const own = words + kNodeWords * static_cast<std::uint32_t>(node);
    atomicAdd(own, static_cast<std::uint32_t>(pair.gradient) & 0xFFFFU);
    atomicAdd(own + 1, static_cast<std::uint32_t>(pair.gradient >> 16));
    atomicAdd(own + 2, static_cast<std::uint32_t>(pair.hessian) & 0xFFFFU);
    atomicAdd(own + 3, static_cast<std::uint32_t>(pair.hessian >> 16));
  });
  __syncthreads();
  auto const joined = [](std::uint32_t low, std::uint32_t high) {
    return static_cast<std::int64_t>(static_cast<std::int32_t>(high)) * 65536 + static_cast<std::int64_t>(low);
  };
  for (std::uint32_t node = threadIdx.x; node < task.n_nodes; node += blockDim.x) {
    std::uint32_t const* const own = words + kNodeWords * node;
    FixedSum const sum{joined(own[0], own[1]), joined(own[2], own[3])};
    if (!(sum == FixedSum{})) AddToNode(sum, task.sums + node);
  }
}

__global__ void __launch_bounds__(kBlockThreads) SumLeavesKernel(LeafSumTask task) {
  ForEachUsed(task, [&](std::int32_t node, FixedPair pair) {
    AddToNode(FixedSum{pair.gradient, pair.hessian}, task.sums + node);
  });
}

/// Returns the shared memory that a block may ask for.
std::size_t MostSharedBytes(CudaContext const& cuda) {
  int bytes = 0;
  KAURI_CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda.device));
  return static_cast<std::size_t>(bytes);
}

}  // namespace

void SumLeaves(CudaContext const& cuda, LeafSumTask const& task) {
  auto const n_rows = static_cast<std::int64_t>(task.leaf_of_row.size());
  auto const bytes = sizeof(std::uint32_t) * kNodeWords * task.n_nodes;
  if (task.n_nodes > kSharedNodes || bytes > MostSharedBytes(cuda)) {
    return Launch(cuda, std::min(GridFor(n_rows, kBlockThreads), kMostBlocks), kBlockThreads, SumLeavesKernel, task);
  }
  auto const threads = task.n_nodes <= kFewNodes ? kBlockThreads : kManyThreads;
  auto const most = task.n_nodes <= kFewNodes ? kMostBlocks : kMostLargeBlocks;
  auto const blocks = std::max(std::min(GridFor(n_rows, threads), most), GridFor(n_rows, kRowsOfWords));
  LaunchShared(cuda, blocks, threads, bytes, SumLeavesInSharedKernel, task);
}

}  // namespace kauri::cuda
