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

using Word = unsigned long long;

/// Maximum number of nodes whose sums a block keeps in shared memory; larger trees are summed in global memory.
constexpr std::uint32_t kSharedNodes = 1024;
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
  std::int64_t const stride = static_cast<std::int64_t>(gridDim.x) * kBlockThreads;
  for (std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x; row < n_rows;
       row += stride) {
    if (!task.sample.IsUsed(row)) continue;
    add(task.leaf_of_row.data()[row], QuantisePair(from[row * task.gradients.n_outputs], steps));
  }
}

__device__ __forceinline__ void AddToNode(FixedSum sum, FixedSum* node) {
  auto* const words = reinterpret_cast<Word*>(node);
  atomicAdd(words, static_cast<Word>(sum.gradient));
  atomicAdd(words + 1, static_cast<Word>(sum.hessian));
}

/// A block has at most kRowsOfWords rows.
__global__ void __launch_bounds__(kBlockThreads) SumLeavesInSharedKernel(LeafSumTask task) {
  __shared__ std::uint32_t words[kNodeWords * kSharedNodes];
  for (std::uint32_t i = threadIdx.x; i < kNodeWords * task.n_nodes; i += kBlockThreads) words[i] = 0;
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
  for (std::uint32_t node = threadIdx.x; node < task.n_nodes; node += kBlockThreads) {
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

}  // namespace

void SumLeaves(CudaContext const& cuda, LeafSumTask const& task) {
  auto const n_rows = static_cast<std::int64_t>(task.leaf_of_row.size());
  auto const few = std::min(GridFor(n_rows, kBlockThreads), kMostBlocks);
  if (task.n_nodes > kSharedNodes) return Launch(cuda, few, kBlockThreads, SumLeavesKernel, task);
  auto const blocks = std::max(few, GridFor(n_rows, kRowsOfWords));
  Launch(cuda, blocks, kBlockThreads, SumLeavesInSharedKernel, task);
}

}  // namespace kauri::cuda
