/// Split finding in the sorting phase (Mitchell & Frank 2017, "Phase 1: find splits", sorting variant).
///
/// 1. PieceSumsKernel: the sum of every piece, by a segmented block reduction.
/// 2. PiecePrefixKernel: what comes before each piece within its segment, and the segment's total; so missing = node -
/// total.
/// 3. FloorKernel: the boundaries at tile ends alone tell a loss change that each node reaches at least.
/// 4. ScanKernel: segmented block scan of the pairs, every boundary evaluated both ways, the best of every piece.
/// 5. ReduceSegmentsKernel: the best of every segment, with the splits "missing alone".
/// 6. ReduceNodesKernel: the best of every node over its features.
/// Bytes per entry: 8 in (1), 12 in (4); pieces are one in two thousand.
#include <cub/block/block_load.cuh>

#include "cuda/common/launch.h"
#include "cuda/exact/evaluate_boundary.cuh"
#include "cuda/exact/find_split_sorted.h"
#include "cuda/exact/segmented.cuh"
#include "cuda/exact/warp_pieces.cuh"

namespace kauri::cuda {
namespace {

using SumScan = cub::BlockScan<Segmented<FixedSum>, kBlockThreads>;
using BestScan = cub::BlockScan<Segmented<SegmentCandidate>, kBlockThreads>;
using LoadPairs = cub::BlockLoad<std::uint64_t, kBlockThreads, kThreadEntries, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
using LoadValues = cub::BlockLoad<float, kBlockThreads, kThreadEntries, cub::BLOCK_LOAD_WARP_TRANSPOSE>;

__device__ FixedPair AsPair(std::uint64_t bits) {
  return {static_cast<std::int32_t>(bits & 0xFFFFFFFFU), static_cast<std::int32_t>(bits >> 32U)};
}

/// How many of a thread's entries lie before the end of the tile.
__device__ int CountEntries(TileRange const& range, std::int64_t first) {
  std::int64_t const left = range.end - first;
  return left >= kThreadEntries ? kThreadEntries : left > 0 ? static_cast<int>(left) : 0;
}

/// A thread's sum since the last segment began.
__device__ Segmented<FixedSum> ThreadSum(SegmentTable const& table, TileRange const& range, std::int64_t first,
                                         int count, std::uint64_t const (&pairs)[kThreadEntries]) {
  Segmented<FixedSum> sum{{0, 0}, false};
  if (count == 0) return sum;
  SegmentWalker walker(table, range, first);
  sum.restarted = walker.SegmentBegin() == first;
#pragma unroll
  for (int i = 0; i < kThreadEntries; ++i) {
    if (i < count) {
      if (walker.MoveTo(first + i)) sum = {{0, 0}, true};
      sum.value += AsPair(pairs[i]);
    }
  }
  return sum;
}

__device__ void LoadTilePairs(TileRange const& range, FixedPair const* pairs, typename LoadPairs::TempStorage& temp,
                              std::uint64_t (&items)[kThreadEntries]) {
  LoadPairs(temp).Load(reinterpret_cast<std::uint64_t const*>(pairs) + range.begin, items,
                       static_cast<int>(range.end - range.begin), std::uint64_t{0});
}

__global__ void __launch_bounds__(kBlockThreads) PieceSumsKernel(SplitTask task, FixedSum* piece_sums) {
  __shared__ union {
    typename LoadPairs::TempStorage load;
    typename SumScan::TempStorage scan;
  } temp;
  __shared__ std::int64_t segments[2];
  TileRange const range = FindTile(task.table, blockIdx.x, task.n_entries, segments);
  if (IsDeadTile(task.table, range)) return;
  std::uint64_t pairs[kThreadEntries];
  LoadTilePairs(range, task.entries.pairs, temp.load, pairs);
  __syncthreads();
  std::int64_t const first = range.begin + static_cast<std::int64_t>(threadIdx.x) * kThreadEntries;
  int const count = CountEntries(range, first);
  Segmented<FixedSum> carry;
  SumScan(temp.scan).ExclusiveScan(ThreadSum(task.table, range, first, count, pairs), carry,
                                   Segmented<FixedSum>{{0, 0}, false}, SegmentedOp<FixedSum, AddSums>{});
  if (count == 0) return;
  SegmentWalker walker(task.table, range, first);
  FixedSum sum = walker.SegmentBegin() == first ? FixedSum{0, 0} : carry.value;
#pragma unroll
  for (int i = 0; i < kThreadEntries; ++i) {
    std::int64_t const index = first + i;
    if (i < count) {
      if (walker.MoveTo(index)) sum = {0, 0};
      sum += AsPair(pairs[i]);
      if (index + 1 == walker.SegmentEnd() || index + 1 == range.end) piece_sums[range.tile + walker.Segment()] = sum;
    }
  }
}

__device__ SegmentFacts FactsOf(SplitTask const& task, FixedSum const* segment_sums, std::int64_t segment) {
  SegmentFacts facts;
  facts.node = task.nodes[task.table.NodeOf(segment)];
  facts.missing = facts.node.sum - segment_sums[segment];
  facts.floor = task.floors[task.table.NodeOf(segment)];
  facts.both_ways = task.both_ways[task.table.FeatureOf(segment)] != 0;
  return facts;
}

__device__ __forceinline__ bool IsAllowed(SplitTask const& task, std::int64_t segment) {
  if (task.allowed == nullptr) return true;
  std::int32_t const id = task.feature_ids[task.table.FeatureOf(segment)];
  return task.allowed[static_cast<std::int64_t>(task.table.NodeOf(segment)) * task.n_all_features + id] != 0;
}

/// One thread per tile: the boundary between the tile before and this one, where they share a segment. Losses are
/// positive, so their bits ascend with them.
__global__ void FloorKernel(SplitTask task, SplitScratch scratch) {
  std::int64_t const tile = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x + 1;
  std::int64_t const index = tile * kTileEntries;
  if (index >= task.n_entries) return;
  std::int64_t const segment = FindSegment(task.table.begin, 0, task.table.NumSegments(), index);
  std::int32_t const node = task.table.NodeOf(segment);
  if (node == task.table.n_nodes || task.table.begin[segment] == index || !IsAllowed(task, segment)) return;
  float const low = task.entries.values[index - 1];
  float const high = task.entries.values[index];
  if (low == high) return;
  SegmentFacts const facts = FactsOf(task, scratch.segment_sums, segment);
  SegmentCandidate best;
  ConsiderBoundary(task.param, facts, scratch.piece_sums[tile + segment], low, high, &best);
  if (best.state == SegmentCandidate::kNone || !(best.loss_change > 0.0)) return;
  atomicMax(reinterpret_cast<unsigned long long*>(task.floors + node),
            static_cast<unsigned long long>(__double_as_longlong(best.loss_change)));
}

/// One thread's way along its entries: the left sum and the previous value of each, and the best boundary of each
/// segment.
struct BoundaryScan {
  SplitTask const& task;
  SplitScratch const& scratch;
  TileRange const& range;
  SegmentCandidate first_best;  ///< of the segment that began before this thread's entries
  std::int64_t first_end = -1;  ///< that segment, when it ends here
  Segmented<SegmentCandidate> open{SegmentCandidate(), false};

  __device__ void Run(std::int64_t first, int count, FixedSum carry, std::uint64_t const (&pairs)[kThreadEntries],
                      float const (&values)[kThreadEntries]) {
    SegmentWalker walker(task.table, range, first);
    open.restarted = walker.SegmentBegin() == first;
    FixedSum left = open.restarted ? FixedSum{0, 0} : carry;
    float previous = open.restarted ? 0.0F : task.entries.values[first - 1];
    bool dead = task.table.NodeOf(walker.Segment()) == task.table.n_nodes;
    SegmentFacts facts;
    if (!dead) facts = FactsOf(task, scratch.segment_sums, walker.Segment());
#pragma unroll
    for (int i = 0; i < kThreadEntries; ++i) {
      if (i < count) {
        std::int64_t const index = first + i;
        if (walker.MoveTo(index)) {
          left = {0, 0};
          open = {SegmentCandidate(), true};
          dead = task.table.NodeOf(walker.Segment()) == task.table.n_nodes;
          if (!dead) facts = FactsOf(task, scratch.segment_sums, walker.Segment());
        }
        if (!dead) {
          if (index > walker.SegmentBegin() && previous != values[i]) {
            ConsiderBoundary(task.param, facts, left, previous, values[i], &open.value);
          }
          left += AsPair(pairs[i]);
          previous = values[i];
          if (index + 1 == walker.SegmentEnd() || index + 1 == range.end) Close(walker.Segment());
        }
      }
    }
  }

  __device__ void Close(std::int64_t segment) {
    if (open.restarted) {
      scratch.piece_best[range.tile + segment] = open.value;
    } else {
      first_best = open.value;
      first_end = segment;
    }
    open.value = SegmentCandidate();
  }
};

__global__ void __launch_bounds__(kBlockThreads) ScanKernel(SplitTask task, SplitScratch scratch) {
  __shared__ union {
    typename LoadPairs::TempStorage pairs;
    typename LoadValues::TempStorage values;
    typename SumScan::TempStorage sums;
    typename BestScan::TempStorage best;
  } temp;
  __shared__ std::int64_t segments[2];
  TileRange const range = FindTile(task.table, blockIdx.x, task.n_entries, segments);
  if (IsDeadTile(task.table, range)) return;
  std::uint64_t pairs[kThreadEntries];
  LoadTilePairs(range, task.entries.pairs, temp.pairs, pairs);
  __syncthreads();
  float values[kThreadEntries];
  LoadValues(temp.values)
      .Load(task.entries.values + range.begin, values, static_cast<int>(range.end - range.begin), 0.0F);
  __syncthreads();
  std::int64_t const first = range.begin + static_cast<std::int64_t>(threadIdx.x) * kThreadEntries;
  int const count = CountEntries(range, first);
  Segmented<FixedSum> carry;
  SumScan(temp.sums).ExclusiveScan(ThreadSum(task.table, range, first, count, pairs), carry,
                                   Segmented<FixedSum>{{0, 0}, false}, SegmentedOp<FixedSum, AddSums>{});
  __syncthreads();
  bool const continues = task.table.begin[range.first_segment] < range.begin &&
                         task.table.NodeOf(range.first_segment) != task.table.n_nodes;
  if (continues && !carry.restarted) carry.value += scratch.piece_sums[range.tile + range.first_segment];
  BoundaryScan scan{task, scratch, range, SegmentCandidate()};
  if (count > 0) scan.Run(first, count, carry.value, pairs, values);
  bool const has_candidate =
      scan.open.value.state != SegmentCandidate::kNone || scan.first_best.state != SegmentCandidate::kNone;
  if (__syncthreads_or(has_candidate) == 0) {  // nothing to pass on: most tiles, once the floor is high
    if (scan.first_end >= 0) scratch.piece_best[range.tile + scan.first_end] = scan.first_best;
    return;
  }
  Segmented<SegmentCandidate> before;
  BestScan(temp.best).ExclusiveScan(scan.open, before, Segmented<SegmentCandidate>{SegmentCandidate(), false},
                                    SegmentedOp<SegmentCandidate, KeepBetter>{});
  if (scan.first_end >= 0) {
    scratch.piece_best[range.tile + scan.first_end] = KeepBetter()(before.value, scan.first_best);
  }
}

/// One warp per segment.
__global__ void ReduceSegmentsKernel(SplitTask task, SplitScratch scratch) {
  std::int64_t const segment = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  int const lane = threadIdx.x % 32;
  if (segment >= task.table.NumSegments() || task.table.NodeOf(segment) == task.table.n_nodes) return;
  std::int64_t const begin = task.table.begin[segment];
  std::int64_t const end = task.table.begin[segment + 1];
  SegmentCandidate best;
  if (begin < end) {
    for (std::int64_t tile = begin / kTileEntries + lane; tile <= (end - 1) / kTileEntries; tile += 32) {
      best = KeepBetter()(best, scratch.piece_best[tile + segment]);
    }
    best = WarpBest(best);
    if (lane == 0) {
      ConsiderMissingAlone(task.param, FactsOf(task, scratch.segment_sums, segment), task.entries.values[begin],
                           task.entries.values[end - 1], &best);
    }
  }
  if (lane == 0) scratch.segment_best[segment] = best;
}

/// One warp per node; lanes stride over the features.
__global__ void ReduceNodesKernel(SplitTask task, SegmentCandidate const* segment_best, std::int32_t stride,
                                  SplitCandidate* node_best) {
  std::int32_t const node =
      static_cast<std::int32_t>((static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / 32);
  int const lane = threadIdx.x % 32;
  if (node >= task.table.n_nodes) return;
  SplitCandidate best;
  for (std::int32_t feature = lane; feature < task.table.n_features; feature += 32) {
    std::int32_t const id = task.feature_ids[feature];
    if (task.allowed != nullptr && task.allowed[static_cast<std::int64_t>(node) * task.n_all_features + id] == 0)
      continue;
    SegmentCandidate const found = segment_best[static_cast<std::int64_t>(feature) * stride + node];
    if (found.state == SegmentCandidate::kNone) continue;
    SplitCandidate candidate;
    candidate.loss_change = found.loss_change;
    candidate.feature = static_cast<std::uint32_t>(id);
    candidate.threshold = found.threshold;
    candidate.default_left = found.state == SegmentCandidate::kDefaultLeft;
    candidate.left = found.left;
    candidate.right = task.nodes[node].sum - found.left;
    if (IsBetter(candidate, best)) best = candidate;
  }
  best = WarpBest(best);
  if (lane == 0 && IsBetter(best, node_best[node])) node_best[node] = best;
}

}  // namespace

void ReduceNodes(CudaContext const& ctx, SplitTask const& task, SegmentCandidate const* segment_best,
                 std::int32_t stride, SplitCandidate* best) {
  Launch(ctx, GridFor(static_cast<std::int64_t>(task.table.n_nodes) * 32, kBlockThreads), kBlockThreads,
         ReduceNodesKernel, task, segment_best, stride, best);
}

void FindSplits(CudaContext const& ctx, SplitTask const& task, SplitScratch const& scratch, SplitCandidate* best) {
  auto const tiles = static_cast<unsigned>(NumTiles(task.n_entries));
  auto const warps = GridFor(task.table.NumSegments() * 32, kBlockThreads);
  Launch(ctx, tiles, kBlockThreads, PieceSumsKernel, task, scratch.piece_sums);
  Launch(ctx, warps, kBlockThreads, PiecePrefixKernel<FixedSum>, task.table, scratch.piece_sums, scratch.segment_sums);
  Launch(ctx, GridFor(tiles, kBlockThreads), kBlockThreads, FloorKernel, task, scratch);
  Launch(ctx, tiles, kBlockThreads, ScanKernel, task, scratch);
  Launch(ctx, warps, kBlockThreads, ReduceSegmentsKernel, task, scratch);
  ReduceNodes(ctx, task, scratch.segment_best, task.table.n_nodes + 1, best);
}

}  // namespace kauri::cuda
