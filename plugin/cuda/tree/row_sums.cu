#include <algorithm>

#include "cuda/common/buffer.h"
#include "cuda/common/launch.h"
#include "cuda/tree/row_sums.h"

namespace kauri::cuda {
namespace {

using Count = unsigned long long;

/// Enough to fill a device, and few enough for one addition a warp each.
constexpr unsigned kMostBlocks = 1024;
/// Maximum number of nodes that a block counts in shared memory; larger trees are counted directly in global memory.
constexpr std::uint32_t kSharedNodes = 4096;

struct CountTask {
  Span<std::int32_t const> node_of_row;
  std::uint8_t const* sampled;  ///< nullptr: all rows count
  std::uint32_t n_nodes;
  Count* n_rows;  ///< (out) [n_nodes], initially zero
};

/// Calls add(node) for the thread's share of the rows.
template <typename Add>
__device__ __forceinline__ void ForEachRow(CountTask const& task, Add&& add) {
  auto const n_rows = static_cast<std::uint64_t>(task.node_of_row.size());
  auto const stride = static_cast<std::uint64_t>(gridDim.x) * kBlockThreads;
  for (auto row = static_cast<std::uint64_t>(blockIdx.x) * kBlockThreads + threadIdx.x; row < n_rows; row += stride) {
    std::int32_t const node = task.node_of_row.data()[row];
    if (node >= 0 && (task.sampled == nullptr || task.sampled[row] != 0)) add(node);
  }
}

/// A block has fewer than 2^32 rows, because a data set has.
__global__ void __launch_bounds__(kBlockThreads) CountInSharedKernel(CountTask task) {
  __shared__ std::uint32_t counts[kSharedNodes];
  for (std::uint32_t node = threadIdx.x; node < task.n_nodes; node += kBlockThreads) counts[node] = 0;
  __syncthreads();
  ForEachRow(task, [&](std::int32_t node) { atomicAdd(counts + node, 1U); });
  __syncthreads();
  for (std::uint32_t node = threadIdx.x; node < task.n_nodes; node += kBlockThreads) {
    if (counts[node] != 0) atomicAdd(task.n_rows + node, static_cast<Count>(counts[node]));
  }
}

__global__ void __launch_bounds__(kBlockThreads) CountKernel(CountTask task) {
  ForEachRow(task, [&](std::int32_t node) { atomicAdd(task.n_rows + node, Count{1}); });
}

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

void CountRowsByNode(CudaContext const& cuda, Span<std::int32_t const> node_of_row, Span<std::uint8_t const> sampled,
                     Span<unsigned long long> n_rows) {
  auto const n_nodes = n_rows.size();
  FillZero(cuda, n_rows.data(), n_nodes);
  CountTask const task{node_of_row, sampled.empty() ? nullptr : sampled.data(), static_cast<std::uint32_t>(n_nodes),
                       n_rows.data()};
  auto const blocks = std::min(kMostBlocks, GridFor(static_cast<std::int64_t>(node_of_row.size()), kBlockThreads));
  Launch(cuda, blocks, kBlockThreads, n_nodes <= kSharedNodes ? CountInSharedKernel : CountKernel, task);
}

std::vector<std::int64_t> CountLeafRows(CudaContext const& cuda, Tree const& tree, Span<std::uint8_t const> sampled,
                                        Span<std::int32_t const> leaf_of_row) {
  auto const n_nodes = tree.left.size();
  Buffer<Count> counts(cuda, n_nodes);
  CountRowsByNode(cuda, leaf_of_row, sampled, {counts.data(), n_nodes});
  auto const n_rows = ToHost(cuda, counts.data(), n_nodes);
  return {n_rows.begin(), n_rows.end()};
}

SquareSum SquareRows(CudaContext const& cuda, Span<FixedPair const> pairs) {
  static_assert(sizeof(SquareSum) == 2 * sizeof(unsigned long long), "added up as two integers");
  Buffer<SquareSum> sum(cuda, 1);
  FillZero(cuda, sum.data(), 1);
  auto const blocks = std::min(kMostBlocks, GridFor(static_cast<std::int64_t>(pairs.size()), kBlockThreads));
  Launch(cuda, blocks, kBlockThreads, SquareRowsKernel, pairs, sum.data());
  return ToHost(cuda, sum.data(), 1).front();
}

}  // namespace kauri::cuda
