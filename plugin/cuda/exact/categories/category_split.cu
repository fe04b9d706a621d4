/// 1. KeysKernel: each cell's key is its segment (node, feature) and the order of its weight. One stable radix sort of
///    all cells of the slice puts the categories of each segment in order of (weight, index), whatever their number.
/// 2. FindKernel: a warp per segment (category_warp.h).
/// 3. ReduceNodes, as for numbers.
/// 4. MarkRightKernel: marks the categories that go right while the slice is in memory, because the order is lost with
///    it.
#include <cub/device/device_radix_sort.cuh>

#include "common/math.h"
#include "cuda/common/device_warp.cuh"
#include "cuda/exact/categories/category_split.h"
#include "cuda/exact/categories/category_warp.h"
#include "cuda/exact/split/evaluate_boundary.cuh"

namespace kauri::cuda {
namespace {

constexpr int kMarkThreads = 128;

__global__ void __launch_bounds__(kBlockThreads)
    KeysKernel(CategoryTable table, std::int64_t n, GainParam param, FixedSum const* sums, std::uint64_t* keys,
               std::uint32_t* indices) {
  std::int64_t const cell = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (cell >= n) return;
  std::int64_t const node = cell / table.n_cells;
  std::int64_t const within = cell - node * table.n_cells;
  std::uint32_t const place = FindLast(table.first_cells, 0, static_cast<std::uint32_t>(table.n_features), within);
  auto const segment = static_cast<std::uint64_t>(node * table.n_features + place);
  keys[cell] = segment << 32U | static_cast<std::uint32_t>(~DescendingFloatKey(CategoryWeight(sums[cell], param)));
  indices[cell] = static_cast<std::uint32_t>(within - table.first_cells[place]);
}

__device__ __forceinline__ CategorySegment SegmentOf(CategorySplitTask const& task, std::int32_t node,
                                                     std::int32_t place) {
  CategoryFeature const& feature = task.table.features[place];
  NodeTotals const totals = task.level.nodes[node];
  std::int64_t const begin = node * task.table.n_cells + feature.first_cell;
  CategorySegment segment;
  segment.sums = task.sums + begin;
  segment.order = feature.one_hot ? nullptr : task.order + begin;
  segment.node.n_categories = feature.n_categories;
  segment.node.total = totals.sum;
  segment.node.node_gain = GainToBeat(task.level, node, place);
  segment.node.bounds = totals.bounds;
  segment.max_partition = task.max_partition;
  segment.one_hot = feature.one_hot;
  return segment;
}

__global__ void __launch_bounds__(kBlockThreads) FindKernel(__grid_constant__ CategorySplitTask const task) {
  std::int64_t const segment = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  std::int32_t const n_nodes = task.level.table.n_nodes;
  if (segment >= static_cast<std::int64_t>(task.table.n_features) * n_nodes) return;  // the whole warp returns
  auto const node = static_cast<std::int32_t>(segment / task.table.n_features);
  auto const place = static_cast<std::int32_t>(segment % task.table.n_features);
  SegmentCandidate best;
  if (IsAllowed(task.level, node, place)) {
    auto const in_node = SegmentOf(task, node, place);
    DeviceWarp const warp;
    best = CategoryWarp<DeviceWarp>(warp, task.level.param, in_node, task.level.floors[node]).Find();
  }
  if (Lane() == 0) task.segment_best[static_cast<std::int64_t>(place) * n_nodes + node] = best;
}

/// blockIdx.x: the node.
__global__ void __launch_bounds__(kMarkThreads)
    MarkRightKernel(__grid_constant__ CategorySplitTask const task, SplitCandidate const* best, std::int64_t n_words,
                    std::uint32_t* right) {
  std::int64_t const node = blockIdx.x;
  SplitCandidate const split = best[node];
  if (!split.IsValid()) return;
  auto const id = static_cast<std::int32_t>(split.feature);
  std::uint32_t const place =
      FindLast(task.level.feature_ids, 0, static_cast<std::uint32_t>(task.table.n_features), id);
  if (task.level.feature_ids[place] != id) return;
  CategoryFeature const feature = task.table.features[place];
  auto const threshold = static_cast<std::uint32_t>(split.threshold);
  std::uint32_t const n_right = feature.one_hot ? 1 : threshold;
  std::int64_t const begin = node * task.table.n_cells + feature.first_cell;
  for (std::uint32_t i = threadIdx.x; i < n_right; i += kMarkThreads) {
    std::uint32_t const index = feature.one_hot ? threshold : task.order[begin + i];
    atomicOr(right + node * n_words + index / 32, std::uint32_t{1} << (index % 32));
  }
}

}  // namespace

std::uint32_t const* SortByWeight(CudaContext const& ctx, CategorySplitTask const& task,
                                  CategorySortBuffers const& buffers, CubScratch* scratch) {
  auto const n = task.level.table.n_nodes * task.table.n_cells;
  Launch(ctx, GridFor(n, kBlockThreads), kBlockThreads, KeysKernel, task.table, n, task.level.param, task.sums,
         buffers.keys, buffers.order);
  cub::DoubleBuffer<std::uint64_t> keys(buffers.keys, buffers.other_keys);
  cub::DoubleBuffer<std::uint32_t> order(buffers.order, buffers.other_order);
  auto const last_segment = static_cast<std::int64_t>(task.level.table.n_nodes) * task.table.n_features - 1;
  int n_bits = 32;
  while (last_segment >> (n_bits - 32) != 0) ++n_bits;
  scratch->Run(ctx, [&](void* temp, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(temp, bytes, keys, order, n, 0, n_bits, ctx.stream);
  });
  return order.Current();
}

void FindCategorySplits(CudaContext const& ctx, CategorySplitTask const& task, SplitCandidate* best) {
  auto const n_segments = static_cast<std::int64_t>(task.table.n_features) * task.level.table.n_nodes;
  Launch(ctx, GridFor(n_segments * 32, kBlockThreads), kBlockThreads, FindKernel, task);
  ReduceNodes(ctx, task.level, task.segment_best, task.level.table.n_nodes, best);
}

void MarkRightCategories(CudaContext const& ctx, CategorySplitTask const& task, SplitCandidate const* best,
                         std::int64_t n_words, std::uint32_t* right) {
  Launch(ctx, static_cast<unsigned>(task.level.table.n_nodes), kMarkThreads, MarkRightKernel, task, best, n_words,
         right);
}

}  // namespace kauri::cuda
