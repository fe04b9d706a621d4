/// The end of the interleaved phase, which sorts every column by node, and the rows' moves within the phase.
///
/// 1. CountKernel: counts the entries of every tile in every node.
/// 2. PrefixKernel: computes the counts before each tile.
/// 3. BeginKernel: computes the starts of the nodes' segments.
/// 4. SortKernel: moves every entry to its place, 32 consecutive entries at a time, so that ranks follow from which
///    lanes have the same node.
/// Bytes per entry: 4 in and a gathered byte, twice; 16 in and 16 out.
#include <cub/block/block_scan.cuh>

#include "cuda/common/launch.h"
#include "cuda/exact/entries/interleaved.h"
#include "cuda/exact/entries/interleaved_tile.cuh"
#include "cuda/exact/entries/warp_tile.cuh"

namespace kauri::cuda {
namespace {

__global__ void __launch_bounds__(kBlockThreads)
    NarrowPositionsKernel(Span<std::int32_t const> positions, std::uint8_t const* sampled, std::uint8_t* node_of_row) {
  auto const row = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= positions.size()) return;
  std::int32_t const node = positions.data()[row];
  bool const has_node = node >= 0 && (sampled == nullptr || sampled[row] != 0);
  node_of_row[row] = has_node ? static_cast<std::uint8_t>(node) : kInactive;
}

__global__ void __launch_bounds__(kBlockThreads) MoveInterleavedKernel(InterleavedMove move) {
  std::int64_t const index = move.begin + static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= move.end) return;
  std::uint8_t const node = move.node_of_entry[index];
  if (node == kInactive || move.moves[node].feature != move.feature) return;
  NodeMove const& to = move.moves[node];
  move.next[move.entries.rows[index]] = move.entries.values[index] < to.threshold ? to.left : to.right;
}

/// A step of a warp: the lane's entry, its node, and the lanes with the same node.
struct NodeStep {
  std::int64_t index;
  std::uint32_t row;
  int node;
  unsigned peers;

  __device__ NodeStep(SortTask const& task, ColumnTile const& tile, std::int64_t begin) : index(begin + Lane()) {
    row = index < tile.end ? task.from.rows[index] : 0;
    node = index < tile.end ? task.node_of_row[row] : kInactive;
    peers = __match_any_sync(kAllLanes, node);
  }
  __device__ bool IsFirst() const { return __ffs(static_cast<int>(peers)) - 1 == Lane(); }
  __device__ int Rank() const { return __popc(peers & ((std::uint32_t{1} << Lane()) - 1)); }
};

__global__ void __launch_bounds__(kBlockThreads) CountKernel(SortTask task) {
  __shared__ std::uint32_t shared[kWarpsPerBlock][kMostSortedNodes];
  ColumnTile const tile = ThisColumnTile(task.tiles);
  if (tile.tile >= task.tiles.n_tiles) return;
  auto& counts = shared[threadIdx.x / 32];
  for (int node = Lane(); node < kMostSortedNodes; node += 32) counts[node] = 0;
  __syncwarp();
  for (std::int64_t begin = tile.begin; begin < tile.end; begin += 32) {
    NodeStep const step(task, tile, begin);
    if (step.node != kInactive && step.IsFirst()) counts[step.node] += static_cast<unsigned>(__popc(step.peers));
    __syncwarp();
  }
  for (int node = Lane(); node < task.n_nodes; node += 32) {
    task.counts[tile.tile * task.n_nodes + node] = counts[node];
  }
}

/// One block per feature (blockIdx.x) and node (blockIdx.y).
__global__ void __launch_bounds__(kLongSegmentThreads) PrefixKernel(SortTask task) {
  using Scan = cub::BlockScan<std::uint32_t, kLongSegmentThreads>;
  __shared__ typename Scan::TempStorage temp;
  std::int64_t const end = task.tiles.first_tile[blockIdx.x + 1];
  std::uint32_t running = 0;  // a column has fewer than 2^32 rows
  for (std::int64_t base = task.tiles.first_tile[blockIdx.x]; base < end; base += kLongSegmentThreads) {
    std::int64_t const tile = base + static_cast<int>(threadIdx.x);
    std::int64_t const piece = tile * task.n_nodes + blockIdx.y;
    std::uint32_t const own = tile < end ? task.counts[piece] : 0;
    std::uint32_t before = 0;
    std::uint32_t all = 0;
    Scan(temp).ExclusiveSum(own, before, all);
    if (tile < end) task.counts[piece] = running + before;
    running += all;
    __syncthreads();
  }
  if (threadIdx.x == 0) task.totals[static_cast<std::int64_t>(blockIdx.x) * task.n_nodes + blockIdx.y] = running;
}

/// One warp per feature, a lane per node, 32 nodes at a time.
__global__ void __launch_bounds__(32) BeginKernel(SortTask task, std::int64_t* segments) {
  std::int64_t const feature = blockIdx.x;
  std::int64_t* const begin = segments + feature * (task.n_nodes + 1);
  std::int64_t place = task.feature_begin[feature];
  for (int first = 0; first < task.n_nodes; first += 32) {
    int const node = first + Lane();
    std::int64_t const own = node < task.n_nodes ? task.totals[feature * task.n_nodes + node] : 0;
    std::int64_t const through = InclusiveScan(FixedSum{own, 0}).gradient;
    if (node < task.n_nodes) begin[node] = place + through - own;
    place += FromLane(FixedSum{through, 0}, 31).gradient;
  }
  if (Lane() == 0) begin[task.n_nodes] = place;
  if (Lane() == 0 && feature == task.tiles.n_features - 1) begin[task.n_nodes + 1] = task.feature_begin[feature + 1];
}

__global__ void __launch_bounds__(kBlockThreads) SortKernel(SortTask task, std::int64_t const* segments) {
  __shared__ std::int64_t shared[kWarpsPerBlock][kMostSortedNodes];
  ColumnTile const tile = ThisColumnTile(task.tiles);
  if (tile.tile >= task.tiles.n_tiles) return;
  auto& places = shared[threadIdx.x / 32];
  for (int node = Lane(); node < task.n_nodes; node += 32) {
    places[node] = segments[static_cast<std::int64_t>(tile.feature) * (task.n_nodes + 1) + node] +
                   task.counts[tile.tile * task.n_nodes + node];
  }
  __syncwarp();
  for (std::int64_t begin = tile.begin; begin < tile.end; begin += 32) {
    NodeStep const step(task, tile, begin);
    bool const moves = step.node != kInactive;
    std::int64_t const place = moves ? places[step.node] + step.Rank() : 0;
    __syncwarp();
    if (moves && step.IsFirst()) places[step.node] += __popc(step.peers);
    __syncwarp();
    if (!moves) continue;
    task.to.rows[place] = step.row;
    task.to.values[place] = task.from.values[step.index];
    task.to.pairs[place] = task.from.pairs[step.index];
  }
}

}  // namespace

void NarrowPositions(CudaContext const& ctx, Span<std::int32_t const> positions, Span<std::uint8_t const> sampled,
                     std::uint8_t* node_of_row) {
  Launch(ctx, GridFor(static_cast<std::int64_t>(positions.size()), kBlockThreads), kBlockThreads, NarrowPositionsKernel,
         positions, sampled.empty() ? nullptr : sampled.data(), node_of_row);
}

void MoveInterleaved(CudaContext const& ctx, InterleavedMove const& move) {
  Launch(ctx, GridFor(move.end - move.begin, kBlockThreads), kBlockThreads, MoveInterleavedKernel, move);
}

void SortByNode(CudaContext const& ctx, SortTask const& task, std::int64_t* segments) {
  auto const blocks = GridFor(task.tiles.n_tiles, kWarpsPerBlock);
  dim3 const per_node(static_cast<unsigned>(task.tiles.n_features), static_cast<unsigned>(task.n_nodes));
  Launch(ctx, blocks, kBlockThreads, CountKernel, task);
  LaunchGrid(ctx, per_node, kLongSegmentThreads, PrefixKernel, task);
  Launch(ctx, static_cast<unsigned>(task.tiles.n_features), 32, BeginKernel, task, segments);
  Launch(ctx, blocks, kBlockThreads, SortKernel, task, static_cast<std::int64_t const*>(segments));
}

}  // namespace kauri::cuda
