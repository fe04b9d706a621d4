#include "cuda/common/cuda_context.h"
#include "cuda/common/launch.h"
#include "cuda/exact/entries/warp_tile.cuh"
#include "cuda/exact/label_bins/label_rows.h"
#include "cuda/exact/label_bins/level_labels.h"
#include "cuda/exact/label_bins/node_bins.h"
#include "cuda/exact/label_bins/piece_walk.h"
#include "cuda/exact/split/evaluate_boundary.cuh"
#include "cuda/exact/split/find_split.h"
#include "tree/absolute_error/label_binner.h"
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
               __grid_constant__ PieceWalkTask const walk) {
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

/// Improves best, [n_nodes], by the candidates of the chunk's features. The task must have limits, even if they allow
/// everything: the rows of a node show whether a segment lacks some.
/// 1. Sums before each piece within its segment, of pairs (entries/warp_tile.cuh) and by label bin (node_bins.h).
/// 2. A thread goes through a tile, piece by piece (piece_walk.h).
/// 3. Reductions from pieces to nodes, as with gains of gradients.
/// Costs, per entry, two reads of 40 bytes of the entry and its row; per tile 10 KB of sums.
void FindSplitsByErrors(CudaContext const& cuda, SplitTask const& task, LabelLevel const& labels,
                        SplitScratch const& scratch, TileSummer* tiles, SplitCandidate* best) {
  PrefixPieces(cuda, task.table, scratch.piece_sums, scratch.segment_sums);
  PieceWalkTask walk;
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

}  // namespace

void LevelLabels::Start(CudaContext const& cuda, LineErrors const& errors, Span<std::uint8_t const> sampled) {
  errors_ = errors;
  sampled_ = sampled;
  residuals_.Fix(cuda, errors, sampled);
  auto const shares = SharesOfEdges(residuals_.Scale().Quantile());
  shares_.Reserve(cuda, shares.size());
  CopyToDevice(cuda, shares.data(), shares.size(), shares_.data());
  bin_of_row_.Reserve(cuda, errors.residuals.size());
  cuda.Synchronize();  // for the copy, whose source is freed
}

void LevelLabels::Prepare(CudaContext const& cuda, Span<std::int32_t const> positions, std::int32_t n_nodes) {
  auto const n_bins = static_cast<std::size_t>(n_nodes) * kLabelBins;
  edges_.Reserve(cuda, n_bins);
  node_bins_.Reserve(cuda, n_bins);
  nodes_.Reserve(cuda, static_cast<std::size_t>(n_nodes));
  NodeBinsTask task;
  task.rows = order_.Sort(cuda, positions, sampled_, n_nodes);
  task.scale = residuals_.Scale();
  task.residuals = errors_.residuals.data();
  task.sums = residuals_.Sums();
  task.shares = shares_.data();
  task.edges = edges_.data();
  task.bin_of_row = bin_of_row_.data();
  task.node_bins = node_bins_.data();
  task.nodes = nodes_.data();
  FindNodeBins(cuda, task);
}

void LevelLabels::FindSplits(CudaContext const& cuda, SplitTask const& task, SplitScratch const& scratch,
                             SplitCandidate* best) {
  LabelLevel const labels{residuals_.Scale(), bin_of_row_.data(), residuals_.Sums(), node_bins_.data(), nodes_.data()};
  FindSplitsByErrors(cuda, task, labels, scratch, &tiles_, best);
}

std::size_t LevelLabels::BytesOf(std::int64_t n_rows, std::int64_t n_entries) {
  constexpr std::size_t kOfOrder = 5 * 2 * sizeof(std::uint32_t);  // plus the memory that the sort takes
  auto const of_row = sizeof(float) + sizeof(ResidualSum) + sizeof(std::uint8_t) + kOfOrder;
  return static_cast<std::size_t>(n_rows) * of_row + TileSummer::BytesOf(static_cast<std::size_t>(NumTiles(n_entries)));
}

}  // namespace kauri::cuda
