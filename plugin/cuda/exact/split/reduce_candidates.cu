/// Reductions from the best of pieces to the best of segments and of nodes.
#include "cuda/common/launch.h"
#include "cuda/exact/entries/warp_tile.cuh"
#include "cuda/exact/split/evaluate_boundary.cuh"
#include "cuda/exact/split/find_split.h"

namespace kauri::cuda {
namespace {

/// Reduces a segment with kThreads threads, which begin at tile `begin / kTileEntries + thread`. Thread 0 gets the
/// result.
template <int kThreads>
__device__ void ReduceSegment(SplitTask const& task, SplitScratch const& scratch, std::uint32_t segment, int thread) {
  if (task.table.IsDead(segment)) return;
  auto const node = task.table.NodeOf(segment);
  auto const feature = task.table.FeatureOf(segment);
  std::int64_t const begin = task.table.begin[segment];
  std::int64_t const end = task.table.begin[segment + 1];
  SegmentCandidate best;
  if (begin < end && IsAllowed(task, node, feature)) {
    for (std::int64_t tile = begin / kTileEntries + thread; tile <= (end - 1) / kTileEntries; tile += kThreads) {
      best = KeepBetter()(best, scratch.piece_best[tile + segment]);
    }
    if constexpr (kThreads == 32) {
      best = WarpBest(best);
    } else {
      best = BlockBest<kThreads>(best);
    }
    if (thread == 0 && !task.by_errors) {
      ConsiderMissingAlone(task.param, FactsOf(task, scratch, segment), task.entries.values[begin],
                           task.entries.values[end - 1], FloorOf(task, node), &best);
    }
  }
  if (thread == 0) scratch.segment_best[segment] = best;
}

__global__ void __launch_bounds__(kBlockThreads) ReduceSegmentsKernel(SplitTask task, SplitScratch scratch) {
  std::int64_t const segment = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  if (segment < task.table.NumSegments()) {
    ReduceSegment<32>(task, scratch, static_cast<std::uint32_t>(segment), Lane());
  }
}

__global__ void __launch_bounds__(kLongSegmentThreads) ReduceLongSegmentsKernel(SplitTask task, SplitScratch scratch) {
  ReduceSegment<kLongSegmentThreads>(task, scratch, blockIdx.x, static_cast<int>(threadIdx.x));
}

/// One warp per node; lanes stride over the features.
__global__ void __launch_bounds__(kBlockThreads) ReduceNodesKernel(SplitTask task, SegmentCandidate const* segment_best,
                                                                   std::int32_t stride, SplitCandidate* node_best) {
  auto const node = static_cast<std::int32_t>((static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / 32);
  if (node >= task.table.n_nodes) return;
  SplitCandidate best;
  for (std::int32_t feature = Lane(); feature < task.table.n_features; feature += 32) {
    SegmentCandidate const found = segment_best[static_cast<std::int64_t>(feature) * stride + node];
    if (found.state == SegmentCandidate::kNone) continue;
    SplitCandidate candidate;
    candidate.loss_change = found.loss_change;
    candidate.feature = static_cast<std::uint32_t>(task.feature_ids[feature]);
    candidate.threshold = found.threshold;
    candidate.default_left = found.state == SegmentCandidate::kDefaultLeft;
    candidate.left = found.left;
    candidate.right = task.nodes[node].sum - found.left;
    if (IsBetter(candidate, best)) best = candidate;
  }
  best = WarpBest(best);
  if (Lane() == 0 && IsBetter(best, node_best[node])) node_best[node] = best;
}

}  // namespace

void ReduceSegments(CudaContext const& ctx, SplitTask const& task, SplitScratch const& scratch) {
  auto const n_segments = task.table.NumSegments();
  if (n_segments <= kFewSegments) {
    Launch(ctx, static_cast<unsigned>(n_segments), kLongSegmentThreads, ReduceLongSegmentsKernel, task, scratch);
  } else {
    Launch(ctx, GridFor(n_segments * 32, kBlockThreads), kBlockThreads, ReduceSegmentsKernel, task, scratch);
  }
}

void ReduceNodes(CudaContext const& ctx, SplitTask const& task, SegmentCandidate const* segment_best,
                 std::int32_t stride, SplitCandidate* best) {
  Launch(ctx, GridFor(static_cast<std::int64_t>(task.table.n_nodes) * 32, kBlockThreads), kBlockThreads,
         ReduceNodesKernel, task, segment_best, stride, best);
}

}  // namespace kauri::cuda
