#include "cuda/common/launch.h"
#include "cuda/exact/label_bins/atomic_sums.cuh"
#include "cuda/exact/label_bins/node_bins.h"
#include "tree/absolute_error/label_edges.h"

namespace kauri::cuda {
namespace {

constexpr int kRowsPerBlock = 4096;

/// Sorts the keys in ascending order. n: a power of two, the same in all threads of the block, which all take part.
/// Begins with a barrier.
__device__ void SortInBlock(std::uint32_t* keys, int n) {
  __syncthreads();
  for (int size = 2; size <= n; size *= 2) {
    for (int step = size / 2; step > 0; step /= 2) {
      for (int pair = static_cast<int>(threadIdx.x); pair < n / 2; pair += kBlockThreads) {
        int const low = 2 * pair - (pair & (step - 1));  // the bit of `step` is not set in it
        int const high = low + step;
        std::uint32_t const a = keys[low];
        std::uint32_t const b = keys[high];
        bool const ascends = (low & size) == 0;
        if ((a > b) == ascends) {
          keys[low] = b;
          keys[high] = a;
        }
      }
      __syncthreads();
    }
  }
}

/// Keys in ascending order, the keys of rows before the padding.
struct SortedResiduals {
  std::uint32_t const* keys;

  KAURI_HD float operator()(std::int64_t i) const { return FloatOfOrdered(keys[i]); }
  /// Returns how many of the first n keys belong to rows.
  KAURI_HD std::int64_t Count(std::int64_t n) const {
    std::int64_t first = 0;
    while (first < n) {
      auto const middle = first + (n - first) / 2;
      if (keys[middle] < kNoOrderedBits) {
        first = middle + 1;
      } else {
        n = middle;
      }
    }
    return first;
  }
};

/// One block per node.
__global__ void __launch_bounds__(kBlockThreads) EdgesKernel(NodeBinsTask task) {
  __shared__ std::uint32_t keys[kMostEdgeRows];
  std::int64_t const begin = task.rows.begin[blockIdx.x];
  std::int64_t const n_rows = task.rows.begin[blockIdx.x + 1] - begin;
  std::int64_t const stride = EdgeStride(n_rows);
  int const n_some = static_cast<int>((n_rows + stride - 1) / stride);
  int n_sorted = 1;
  while (n_sorted < n_some) n_sorted *= 2;
  for (int i = static_cast<int>(threadIdx.x); i < n_sorted; i += kBlockThreads) {
    std::uint32_t key = kNoOrderedBits;
    if (i < n_some) {
      std::uint32_t const row = task.rows.rows[begin + i * stride];
      if (task.sums[row].weight > 0) key = OrderedBits(task.residuals[row]);
    }
    keys[i] = key;
  }
  SortInBlock(keys, n_sorted);
  if (threadIdx.x != 0) return;
  SortedResiduals const sorted{keys};
  PickEdges(task.shares, sorted.Count(n_sorted), sorted,
            task.edges + static_cast<std::int64_t>(blockIdx.x) * static_cast<std::int64_t>(kLabelBins));
}

/// Rows of the block's first node are added up in shared memory: in a large node these are nearly all rows.
__global__ void __launch_bounds__(kBlockThreads) BinsKernel(NodeBinsTask task) {
  __shared__ unsigned long long words[2 * kLabelBins];
  auto* const shared = reinterpret_cast<ResidualSum*>(words);
  std::int64_t const n_used = task.rows.begin[task.rows.n_nodes];
  std::int64_t const first = static_cast<std::int64_t>(blockIdx.x) * kRowsPerBlock;
  if (first >= n_used) return;
  std::int64_t const end = min(first + kRowsPerBlock, n_used);
  std::uint32_t const first_node = task.rows.nodes[first];
  if (threadIdx.x < kLabelBins) shared[threadIdx.x] = {};
  __syncthreads();
  for (std::int64_t place = first + threadIdx.x; place < end; place += kBlockThreads) {
    std::uint32_t const node = task.rows.nodes[place];
    std::uint32_t const row = task.rows.rows[place];
    std::int64_t const table = static_cast<std::int64_t>(node) * static_cast<std::int64_t>(kLabelBins);
    std::uint8_t const bin = BinOfResidual(task.residuals[row], task.edges + table);
    task.bin_of_row[row] = bin;
    AtomicAdd(node == first_node ? shared + bin : task.node_bins + table + bin, task.sums[row]);
  }
  __syncthreads();
  if (threadIdx.x >= kLabelBins) return;
  std::int64_t const table = static_cast<std::int64_t>(first_node) * static_cast<std::int64_t>(kLabelBins);
  AtomicAdd(task.node_bins + table + threadIdx.x, shared[threadIdx.x]);
}

/// Left bins of a node without rows on the left.
struct NoLeftBins {
  KAURI_HD ResidualSum Of(std::size_t) const { return {}; }
};

/// One thread per node.
__global__ void __launch_bounds__(kBlockThreads) ErrorsKernel(NodeBinsTask task) {
  std::int64_t const node = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (node >= task.rows.n_nodes) return;
  ResidualSum const* const bins = task.node_bins + node * static_cast<std::int64_t>(kLabelBins);
  NodeLabels labels;
  for (std::size_t bin = 0; bin < kLabelBins; ++bin) labels.all += bins[bin];
  labels.errors = MovingSides<NoLeftBins>(task.scale, bins, labels.all, {}, {}).RightErrors();
  task.nodes[node] = labels;
}

}  // namespace

void FindNodeBins(CudaContext const& cuda, NodeBinsTask const& task) {
  auto const n_nodes = task.rows.n_nodes;
  FillZero(cuda, task.node_bins, static_cast<std::size_t>(n_nodes) * kLabelBins);
  Launch(cuda, static_cast<unsigned>(n_nodes), kBlockThreads, EdgesKernel, task);
  Launch(cuda, GridFor(task.rows.n_rows, kRowsPerBlock), kBlockThreads, BinsKernel, task);
  Launch(cuda, GridFor(n_nodes, kBlockThreads), kBlockThreads, ErrorsKernel, task);
}

}  // namespace kauri::cuda
