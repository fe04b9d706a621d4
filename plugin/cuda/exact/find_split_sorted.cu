/// Split finding in the sorting phase (Mitchell & Frank 2017, "Phase 1: find splits", sorting variant).
///
/// The sum of every piece is known: the kernel that moved the entries has added it up (partition.cu), or SumPieces.
/// 1. PiecePrefixKernel: what comes before each piece within its segment, and the segment's total; so missing = node -
/// total.
/// 2. ScanKernel: a warp walks its tile, 128 entries at a time: a scan of the pairs, a float32 screen of every
/// boundary, the exact formula for the few that may win, the best of every piece.
/// 3. ReduceSegmentsKernel: the best of every segment, with the splits "missing alone".
/// 4. ReduceNodesKernel: the best of every node over its features.
/// Bytes per entry: 12 in (2); pieces are one in five hundred.
#include "cuda/common/launch.h"
#include "cuda/exact/commit_best.cuh"
#include "cuda/exact/find_split.h"
#include "cuda/exact/warp_pieces.cuh"
#include "cuda/exact/warp_tile.cuh"

namespace kauri::cuda {
namespace {

constexpr int kLaneEntries = 4;
constexpr int kRoundEntries = 32 * kLaneEntries;

struct LanePairs {
  FixedPair pair[kLaneEntries];
};

/// Four pairs of consecutive entries; `first` is a multiple of 4.
__device__ __forceinline__ LanePairs LoadPairs(FixedPair const* pairs, std::int64_t first) {
  auto const* const words = reinterpret_cast<int4 const*>(pairs + first);
  int4 const a = __ldcs(words);
  int4 const b = __ldcs(words + 1);
  return {{{a.x, a.y}, {a.z, a.w}, {b.x, b.y}, {b.z, b.w}}};
}

__device__ __forceinline__ FixedSum SumOf(LanePairs const& pairs) {
  FixedSum sum;
#pragma unroll
  for (int i = 0; i < kLaneEntries; ++i) sum += pairs.pair[i];
  return sum;
}

/// Rounds within one segment add up in the warp; others entry by entry.
__global__ void __launch_bounds__(kBlockThreads)
    SumPiecesKernel(SegmentTable table, FixedPair const* pairs, std::int64_t n_entries, FixedSum* piece_sums) {
  WarpTile const tile = ThisTile(table, n_entries);
  if (tile.begin >= n_entries || IsDeadTile(table, tile)) return;
  SegmentCursor cursor(table, tile);
  if (tile.end <= table.begin[tile.first_segment + 1]) {
    FixedSum sum;
    for (std::int64_t index = tile.begin + Lane(); index < tile.end; index += 32) sum += pairs[index];
    sum = WarpSum(sum);
    if (Lane() == 0) piece_sums[tile.tile + tile.first_segment] = sum;
    return;
  }
  for (std::int64_t index = tile.begin + Lane(); index < tile.end; index += 32) {
    cursor.MoveTo(index);
    FixedSum sum;
    sum += pairs[index];
    if (!table.IsDead(cursor.Segment())) AtomicAdd(piece_sums + tile.tile + cursor.Segment(), sum);
  }
}

/// What a warp knows between two rounds; the same in every lane.
struct ScanState {
  std::uint32_t segment;  ///< that holds the next entry, unless it begins a new one
  FixedSum carry;         ///< the segment's pairs before the next entry
  float previous;         ///< the value of the entry before the next one
};

/// The boundaries of 128 entries of one live segment that passed the screen, four to a lane.
struct PassedRound {
  std::int64_t piece;
  std::uint32_t segment;
  unsigned passing;  ///< one bit per boundary of the lane
  FixedSum left;     ///< before the lane's first entry
  float low;         ///< the value before it
  LanePairs pairs;
  float values[kLaneEntries];
};

/// The exact formula for a round; rare, so it stays out of the loop. Returns the floor as it is afterwards.
__device__ __noinline__ double EvaluateRound(SplitTask const& task, SplitScratch const& scratch,
                                             PassedRound const& round) {
  auto const node = task.table.NodeOf(round.segment);
  auto const facts = FactsOf(task, scratch.segment_sums[round.segment], node, task.table.FeatureOf(round.segment));
  FixedSum left = round.left;
  float low = round.low;
#pragma unroll 1
  for (int i = 0; i < kLaneEntries; ++i) {
    SegmentCandidate candidate;
    if ((round.passing >> i & 1U) != 0) {
      ConsiderBoundary(task.param, facts, left, low, round.values[i], FloorOf(task, node), &candidate);
    }
    CommitBest(task, scratch.piece_best, round.piece, node, candidate);
    left += round.pairs.pair[i];
    low = round.values[i];
  }
  return FloorOf(task, node);
}

/// Whether boundaries of the segment are candidates at all.
__device__ __forceinline__ bool IsLive(SplitTask const& task, std::uint32_t segment) {
  auto const node = task.table.NodeOf(segment);
  return node != task.table.n_nodes && IsAllowed(task, node, task.table.FeatureOf(segment));
}

/// A lane's boundary in a step of a mixed round.
__device__ __forceinline__ void EvaluateMixed(SplitTask const& task, SplitScratch const& scratch, std::int64_t tile,
                                              bool is_boundary, std::uint32_t segment, FixedSum left, float low,
                                              float high) {
  SegmentCandidate candidate;
  auto const node = task.table.NodeOf(segment);
  if (is_boundary && IsLive(task, segment)) {
    auto const facts = FactsOf(task, scratch.segment_sums[segment], node, task.table.FeatureOf(segment));
    double const floor = FloorOf(task, node);
    if (!task.screen.usable || SegmentScreen(facts, floor).MayReach(task.screen, left)) {
      ConsiderBoundary(task.param, facts, left, low, high, floor, &candidate);
    }
  }
  CommitBest(task, scratch.piece_best, tile + segment, node, candidate);
}

/// Up to 32 consecutive entries of several segments, one to a lane.
__device__ __forceinline__ void MixedStep(SplitTask const& task, SplitScratch const& scratch, WarpTile const& tile,
                                          std::int64_t begin, std::int64_t end, ScanState* state) {
  std::int64_t const index = begin + Lane();
  bool const exists = index < end;
  std::int64_t const looked_at = exists ? index : end - 1;
  auto const segment = FindSegment(task.table.begin, state->segment, tile.last_segment + 1, looked_at);
  FixedSum own;
  if (exists) own += task.entries.pairs[index];
  float const value = task.entries.values[looked_at];
  bool const is_head = exists && task.table.begin[segment] == index;
  FixedSum const inclusive = InclusiveScan(own);
  FixedSum const exclusive = inclusive - own;
  unsigned const heads = __ballot_sync(kAllLanes, is_head) & (kAllLanes >> (31 - Lane()));
  int const head = 31 - __clz(static_cast<int>(heads));
  FixedSum const at_head = FromLane(exclusive, head < 0 ? 0 : head);
  FixedSum const left = head < 0 ? state->carry + exclusive : exclusive - at_head;
  float low = __shfl_up_sync(kAllLanes, value, 1);
  if (Lane() == 0) low = state->previous;
  EvaluateMixed(task, scratch, tile.tile, exists && !is_head && low != value, segment, left, low, value);
  int const last = static_cast<int>(end - begin) - 1;
  state->segment = __shfl_sync(kAllLanes, segment, last);
  state->carry = FromLane(left + own, last);
  state->previous = __shfl_sync(kAllLanes, value, last);
}

/// 128 entries of several segments.
__device__ __noinline__ void MixedRound(SplitTask const& task, SplitScratch const& scratch, WarpTile const& tile,
                                        std::int64_t base, ScanState* state) {
  std::int64_t const round_end = min(base + kRoundEntries, tile.end);
  for (std::int64_t begin = base; begin < round_end; begin += 32) {
    MixedStep(task, scratch, tile, begin, min(begin + 32, round_end), state);
  }
}

/// A warp's way along its tile.
class TileScan {
 public:
  __device__ TileScan(SplitTask const& task, SplitScratch const& scratch, WarpTile const& tile)
      : task_(task), scratch_(scratch), tile_(tile) {
    for (std::uint32_t segment = tile.first_segment + Lane(); segment <= tile.last_segment; segment += 32) {
      scratch.piece_best[tile.tile + segment].state = SegmentCandidate::kNone;
    }
    __syncwarp();
    Enter(tile.first_segment);
    if (begin_ < tile.begin) {
      state_.carry = scratch.piece_sums[tile.tile + state_.segment];
      state_.previous = task.entries.values[tile.begin - 1];
    }
  }

  __device__ void Run() {
#pragma unroll 1
    for (std::int64_t base = tile_.begin; base < tile_.end; base += kRoundEntries) {
      if (base >= end_) Enter(FindSegment(task_.table.begin, state_.segment, tile_.last_segment + 1, base));
      if (base + kRoundEntries > end_) {
        ScanState state = state_;  // whose address may be taken
        MixedRound(task_, scratch_, tile_, base, &state);
        if (state.segment != state_.segment) Enter(state.segment);
        state_ = state;
      } else if (live_) {
        UniformRound(base);
      }
    }
  }

 private:
  __device__ void Enter(std::uint32_t segment) {
    state_ = {segment, {0, 0}, 0.0F};
    begin_ = task_.table.begin[segment];
    end_ = task_.table.begin[segment + 1];
    live_ = IsLive(task_, segment);
    if (!live_) return;
    auto const node = task_.table.NodeOf(segment);
    auto const facts = FactsOf(task_, scratch_.segment_sums[segment], node, task_.table.FeatureOf(segment));
    node_gain_ = facts.node.gain;
    screen_ = SegmentScreen(facts, FloorOf(task_, node));
  }

  /// 128 entries of one live segment, four to a lane.
  __device__ __forceinline__ void UniformRound(std::int64_t base) {
    std::int64_t const first = base + kLaneEntries * Lane();
    LanePairs const pairs = LoadPairs(task_.entries.pairs, first);
    float4 const loaded = __ldcs(reinterpret_cast<float4 const*>(task_.entries.values + first));
    float const values[kLaneEntries] = {loaded.x, loaded.y, loaded.z, loaded.w};
    FixedSum const own = SumOf(pairs);
    FixedSum const inclusive = InclusiveScan(own);
    FixedSum const before = state_.carry + (inclusive - own);
    float low = __shfl_up_sync(kAllLanes, loaded.w, 1);
    if (Lane() == 0) low = base == begin_ ? loaded.x : state_.previous;
    unsigned const boundaries = (low != loaded.x ? 1U : 0U) | (loaded.x != loaded.y ? 2U : 0U) |
                                (loaded.y != loaded.z ? 4U : 0U) | (loaded.z != loaded.w ? 8U : 0U);
    unsigned const passing = boundaries & Passing(before, pairs);
    if (__any_sync(kAllLanes, passing != 0)) {
      PassedRound const round{tile_.tile + state_.segment,
                              state_.segment,
                              passing,
                              before,
                              low,
                              pairs,
                              {values[0], values[1], values[2], values[3]}};
      screen_.needed = NeededGain(node_gain_, EvaluateRound(task_, scratch_, round));
    }
    state_.carry = FromLane(state_.carry + inclusive, 31);
    state_.previous = __shfl_sync(kAllLanes, loaded.w, 31);
  }

  /// One bit per boundary before an entry: it passes the screen. The branches are the same for the whole warp.
  __device__ __forceinline__ unsigned Passing(FixedSum before, LanePairs const& pairs) const {
    if (!task_.screen.usable) return 0xFU;
    unsigned passing = 0;
#pragma unroll 1
    for (int way = 0; way < 2; ++way) {  // missing rows to the right, to the left
      if (!(way == 0 ? screen_.right_first : screen_.left_too)) continue;
      FixedSum left = way == 0 ? before : before + screen_.missing;
#pragma unroll
      for (int i = 0; i < kLaneEntries; ++i) {
        passing |= MayReach(task_.screen, screen_.total, left, screen_.needed) ? 1U << i : 0U;
        left += pairs.pair[i];
      }
    }
    return passing;
  }

  SplitTask const& task_;
  SplitScratch const& scratch_;
  WarpTile const& tile_;
  ScanState state_;
  std::int64_t begin_;  ///< of the state's segment
  std::int64_t end_;
  bool live_;
  double node_gain_;
  SegmentScreen screen_;
};

__global__ void __launch_bounds__(kBlockThreads, 3)
    ScanKernel(__grid_constant__ SplitTask const task, __grid_constant__ SplitScratch const scratch) {
  WarpTile const tile = ThisTile(task.table, task.n_entries);
  if (tile.begin >= task.n_entries || IsDeadTile(task.table, tile)) return;
  TileScan(task, scratch, tile).Run();
}

/// kThreads threads per segment, at tile `begin / kTileEntries + thread` and so on; the best is that of thread 0.
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
    if (thread == 0) {
      ConsiderMissingAlone(task.param, FactsOf(task, scratch.segment_sums[segment], node, feature),
                           task.entries.values[begin], task.entries.values[end - 1], FloorOf(task, node), &best);
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

void SumPieces(CudaContext const& ctx, SegmentTable const& table, FixedPair const* pairs, std::int64_t n_entries,
               FixedSum* piece_sums) {
  Launch(ctx, GridFor(NumTiles(n_entries), kWarpsPerBlock), kBlockThreads, SumPiecesKernel, table, pairs, n_entries,
         piece_sums);
}

void ReduceNodes(CudaContext const& ctx, SplitTask const& task, SegmentCandidate const* segment_best,
                 std::int32_t stride, SplitCandidate* best) {
  Launch(ctx, GridFor(static_cast<std::int64_t>(task.table.n_nodes) * 32, kBlockThreads), kBlockThreads,
         ReduceNodesKernel, task, segment_best, stride, best);
}

void FindSplits(CudaContext const& ctx, SplitTask const& task, SplitScratch const& scratch, SplitCandidate* best) {
  auto const n_segments = task.table.NumSegments();
  PrefixPieces(ctx, task.table, scratch.piece_sums, scratch.segment_sums);
  Launch(ctx, GridFor(NumTiles(task.n_entries), kWarpsPerBlock), kBlockThreads, ScanKernel, task, scratch);
  if (n_segments <= kFewSegments) {
    Launch(ctx, static_cast<unsigned>(n_segments), kLongSegmentThreads, ReduceLongSegmentsKernel, task, scratch);
  } else {
    Launch(ctx, GridFor(n_segments * 32, kBlockThreads), kBlockThreads, ReduceSegmentsKernel, task, scratch);
  }
  ReduceNodes(ctx, task, scratch.segment_best, task.table.n_nodes + 1, best);
}

}  // namespace kauri::cuda
