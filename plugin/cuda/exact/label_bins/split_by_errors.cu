#include "cuda/common/launch.h"
#include "cuda/exact/entries/warp_pieces.cuh"
#include "cuda/exact/entries/warp_tile.cuh"
#include "cuda/exact/label_bins/piece_walk.h"
#include "cuda/exact/label_bins/split_by_errors.h"
#include "cuda/exact/split/commit_best.cuh"
#include "tree/split_gain.h"

namespace kauri::cuda {
namespace {

/// With a table of 1 KB a thread, a block uses all the shared memory that it has by default.
constexpr int kThreads = 32;

__device__ SegmentPiece PieceOf(SplitTask const& task, SplitScratch const& scratch, std::int64_t tile,
                                std::uint32_t segment) {
  auto const node = task.table.NodeOf(segment);
  SegmentPiece piece;
  piece.segment_begin = task.table.begin[segment];
  piece.segment_end = task.table.begin[segment + 1];
  piece.begin = max(piece.segment_begin, tile * kTileEntries);
  piece.end = min(piece.segment_end, (tile + 1) * kTileEntries);
  piece.node = node;
  piece.both_ways = task.both_ways[task.table.FeatureOf(segment)] != 0;
  piece.node_sum = task.nodes[node].sum;
  piece.before = scratch.piece_sums[tile + segment];
  piece.present = scratch.segment_sums[segment];
  piece.rows = {task.limits[node].rows.least, static_cast<std::int64_t>(task.node_rows[node])};
  return piece;
}

/// One thread per tile. Threads do not wait for each other: each has a column of the table.
__global__ void __launch_bounds__(kThreads)
    WalkKernel(__grid_constant__ SplitTask const task, __grid_constant__ SplitScratch const scratch,
               __grid_constant__ WalkTask const walk) {
  __shared__ std::int64_t weights[kLabelBins * kThreads];
  __shared__ std::int64_t products[kLabelBins * kThreads];
  WarpTile const tile =
      TileAt(task.table, task.n_entries, static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x);
  StridedBins const bins{weights + threadIdx.x, products + threadIdx.x, kThreads};
  auto segment = tile.first_segment;
  for (auto index = tile.begin; index < tile.end; index = task.table.begin[segment + 1]) {
    segment = FindSegment(task.table.begin, segment, tile.last_segment + 1, index);
    if (!IsLive(task, segment)) continue;
    auto const piece = PieceOf(task, scratch, tile.tile, segment);
    scratch.piece_best[tile.tile + segment] = PieceWalk(walk, piece, bins).Best();
  }
}

}  // namespace

void FindSplitsByErrors(CudaContext const& cuda, SplitTask const& task, LabelLevel const& labels,
                        SplitScratch const& scratch, TileSummer* tiles, SplitCandidate* best) {
  PrefixPieces(cuda, task.table, scratch.piece_sums, scratch.segment_sums);
  WalkTask walk;
  walk.param = task.param;
  walk.entries = task.entries;
  walk.labels = labels;
  walk.tiles = tiles->Sum(cuda, task, labels);
  walk.floor = kMinLossChange / 2.0;  // the same value as in LevelEntries
  Launch(cuda, GridFor(walk.tiles.n_tiles, kThreads), kThreads, WalkKernel, task, scratch, walk);
  auto reduced = task;
  reduced.by_errors = true;
  ReduceSegments(cuda, reduced, scratch);
  ReduceNodes(cuda, reduced, scratch.segment_best, task.table.n_nodes + 1, best);
}

}  // namespace kauri::cuda
