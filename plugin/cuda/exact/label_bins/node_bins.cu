#include <cub/device/device_scan.cuh>

#include "cuda/common/launch.h"
#include "cuda/exact/entries/warp_tile.cuh"
#include "cuda/exact/label_bins/node_bins.h"
#include "cuda/exact/split/evaluate_boundary.cuh"
#include "tree/absolute_error/label_edges.h"
#include "tree/absolute_error/residual_sum.h"

namespace kauri::cuda {
namespace {

/// Adds a sum to global or shared memory. Integer additions commute, so the result does not depend on their order.
__device__ __forceinline__ void AtomicAdd(ResidualSum* to, ResidualSum const& sum) {
  if (sum.weight != 0)
    atomicAdd(reinterpret_cast<unsigned long long*>(&to->weight), static_cast<unsigned long long>(sum.weight));
  if (sum.product != 0)
    atomicAdd(reinterpret_cast<unsigned long long*>(&to->product), static_cast<unsigned long long>(sum.product));
}

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

constexpr int kThreads = 128;

/// Entries [begin, end) of a tile; empty if the segment is not searched.
struct TilePart {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Returns the entries of the segment that continues in the next tile.
__device__ TilePart GoingOn(SplitTask const& task, WarpTile const& tile) {
  if (tile.end >= task.n_entries) return {};
  auto const last = FindSegment(task.table.begin, tile.first_segment, tile.last_segment + 1, tile.end - 1);
  if (task.table.begin[last + 1] <= tile.end || !IsLive(task, last)) return {};
  return {max(task.table.begin[last], tile.begin), tile.end};
}

/// Returns the entries of the segment that began in an earlier tile and ends in this one.
__device__ TilePart Ending(SplitTask const& task, WarpTile const& tile) {
  auto const first = tile.first_segment;
  auto const end = task.table.begin[first + 1];
  if (task.table.begin[first] >= tile.begin || end > tile.end || !IsLive(task, first)) return {};
  return {tile.begin, end};
}

/// Adds a part's residuals to the bins. Every thread of the block calls it, because the caller has barriers.
__device__ void AddPart(SplitTask const& task, LabelLevel const& labels, TilePart const& part, ResidualSum* bins) {
  for (std::int64_t index = part.begin + threadIdx.x; index < part.end; index += kThreads) {
    std::uint32_t const row = task.entries.rows[index];
    AtomicAdd(bins + labels.bin_of_row[row], labels.sum_of_row[row]);
  }
}

/// One block per tile.
__global__ void __launch_bounds__(kThreads) TileSumsKernel(SplitTask task, LabelLevel labels, TileSums sums) {
  __shared__ unsigned long long words[4 * kLabelBins];
  auto* const going_on = reinterpret_cast<ResidualSum*>(words);
  auto* const ending = going_on + kLabelBins;
  static_assert(kThreads == 2 * kLabelBins, "a thread a sum");
  going_on[threadIdx.x] = {};
  __syncthreads();
  WarpTile const tile = TileAt(task.table, task.n_entries, blockIdx.x);
  AddPart(task, labels, GoingOn(task, tile), going_on);
  AddPart(task, labels, Ending(task, tile), ending);
  __syncthreads();
  if (threadIdx.x >= kLabelBins) return;
  std::int64_t const place = static_cast<std::int64_t>(threadIdx.x) * sums.n_tiles + tile.tile;
  sums.weights[place] = static_cast<unsigned long long>(going_on[threadIdx.x].weight);
  sums.products[place] = static_cast<unsigned long long>(going_on[threadIdx.x].product);
  sums.ends[place] = ending[threadIdx.x];
}

}  // namespace

void FindNodeBins(CudaContext const& cuda, NodeBinsTask const& task) {
  auto const n_nodes = task.rows.n_nodes;
  FillZero(cuda, task.node_bins, static_cast<std::size_t>(n_nodes) * kLabelBins);
  Launch(cuda, static_cast<unsigned>(n_nodes), kBlockThreads, EdgesKernel, task);
  Launch(cuda, GridFor(task.rows.n_rows, kRowsPerBlock), kBlockThreads, BinsKernel, task);
  Launch(cuda, GridFor(n_nodes, kBlockThreads), kBlockThreads, ErrorsKernel, task);
}

TileSums TileSummer::Sum(CudaContext const& cuda, SplitTask const& task, LabelLevel const& labels) {
  auto const n_tiles = NumTiles(task.n_entries);
  auto const n_sums = static_cast<std::int64_t>(kLabelBins) * n_tiles;
  for (auto* words : {&weights_, &products_}) words->Reserve(cuda, static_cast<std::size_t>(n_sums));
  ends_.Reserve(cuda, static_cast<std::size_t>(n_sums));
  TileSums const sums{weights_.data(), products_.data(), ends_.data(), n_tiles};
  Launch(cuda, static_cast<unsigned>(n_tiles), kThreads, TileSumsKernel, task, labels, sums);
  CubScratch scratch;
  for (auto* words : {weights_.data(), products_.data()}) {
    scratch.Run(cuda, [&](void* temp, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveSum(temp, bytes, words, words, n_sums, cuda.stream);
    });
  }
  return sums;
}

}  // namespace kauri::cuda
