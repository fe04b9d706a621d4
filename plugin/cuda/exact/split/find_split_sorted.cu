/// Split finding in the sorting phase (Mitchell & Frank 2017, "Phase 1: find splits", sorting variant).
///
/// The sum of every piece is known: the kernel that moved the entries has added it up (partition.cu), or SumPieces.
/// 1. PiecePrefixKernel: the sums before each piece within its segment, and the segment's total; so missing = node -
///    total.
/// 2. ScanKernel: a warp goes along its tile, 128 entries at a time: a scan of the pairs, a float32 screen of every
///    boundary, the exact formula for the few that may win, the best of every piece.
/// 3. ReduceSegmentsKernel: the best of every segment, with the splits "missing alone".
/// 4. ReduceNodesKernel: the best of every node over its features.
/// Bytes per entry: 12 in (2); pieces are one in five hundred.
#include <algorithm>

#include "cuda/common/launch.h"
#include "cuda/exact/entries/warp_tile.cuh"
#include "cuda/exact/split/evaluate_boundary.cuh"
#include "cuda/exact/split/find_split.h"

namespace kauri::cuda {
namespace {

constexpr int kLaneEntries = 4;
constexpr int kRoundEntries = 32 * kLaneEntries;
/// More blocks than any device runs at a time.
constexpr unsigned kEvaluateBlocks = 1024;

struct LanePairs {
  FixedPair pair[kLaneEntries];
};

/// Loads the pairs of four consecutive entries; `first` is a multiple of 4.
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

/// Rounds within one segment are added up in the warp; other rounds entry by entry.
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

/// 128 entries of one live segment, four to a lane, with the sum before each lane's entries.
struct UniformRound {
  LanePairs pairs;
  float values[kLaneEntries];
  FixedSum before;     ///< sum of the segment before the lane's first entry
  float low;           ///< the value before that entry; its own value if it is the segment's first
  FixedSum carry_out;  ///< sum of the segment after the round
  float last;          ///< the round's last value

  __device__ __forceinline__ UniformRound(EntryArrays const& entries, std::int64_t base, bool is_first, FixedSum carry,
                                          float previous) {
    std::int64_t const first = base + kLaneEntries * Lane();
    pairs = LoadPairs(entries.pairs, first);
    float4 const loaded = __ldcs(reinterpret_cast<float4 const*>(entries.values + first));
    values[0] = loaded.x;
    values[1] = loaded.y;
    values[2] = loaded.z;
    values[3] = loaded.w;
    FixedSum const own = SumOf(pairs);
    FixedSum const inclusive = InclusiveScan(own);
    before = carry + (inclusive - own);
    low = __shfl_up_sync(kAllLanes, loaded.w, 1);
    if (Lane() == 0) low = is_first ? loaded.x : previous;
    carry_out = FromLane(carry + inclusive, 31);
    last = __shfl_sync(kAllLanes, loaded.w, 31);
  }

  /// Returns one bit per entry: whether a boundary is before it that passes the screen. The branches are the same for
  /// the whole warp.
  __device__ __forceinline__ unsigned Passing(Screen const& screen, SegmentScreen const& segment) const {
    unsigned boundaries = low != values[0] ? 1U : 0U;
#pragma unroll
    for (int i = 1; i < kLaneEntries; ++i) boundaries |= values[i - 1] != values[i] ? 1U << i : 0U;
    if (!screen.usable) return boundaries;
    unsigned passing = 0;
#pragma unroll 1
    for (int way = 0; way < 2; ++way) {  // missing rows to the right, to the left
      if (!(way == 0 ? segment.right_first : segment.left_too)) continue;
      FixedSum left = way == 0 ? before : before + segment.missing;
#pragma unroll
      for (int i = 0; i < kLaneEntries; ++i) {
        passing |= MayReach(screen, segment.total, left, segment.needed) ? 1U << i : 0U;
        left += pairs.pair[i];
      }
    }
    return passing & boundaries;
  }
};

/// The state of a warp between two rounds; the same in every lane.
struct ScanState {
  std::uint32_t segment;  ///< segment of the next entry, unless that begins a new one
  FixedSum carry;         ///< the segment's pairs before the next entry
  float previous;         ///< the value of the entry before the next one
};

/// A round with boundaries that passed the screen.
struct PassedRound {
  std::int64_t piece;
  std::uint32_t segment;
  std::int64_t n_before;  ///< entries of the segment before the round
  unsigned passing;       ///< one bit per boundary of the lane
  UniformRound round;
};

/// Evaluates the exact formula for a round; rare, so it is kept out of the loop. Returns the floor after it.
__device__ __noinline__ double EvaluateRound(SplitTask const& task, SplitScratch const& scratch,
                                             PassedRound const& passed) {
  auto const node = task.table.NodeOf(passed.segment);
  auto const facts = FactsOf(task, scratch, passed.segment);
  FixedSum left = passed.round.before;
  float low = passed.round.low;
#pragma unroll 1
  for (int i = 0; i < kLaneEntries; ++i) {
    SegmentCandidate candidate;
    if ((passed.passing >> i & 1U) != 0) {
      Boundary const boundary{left, low, passed.round.values[i], passed.n_before + kLaneEntries * Lane() + i};
      ConsiderBoundary(task.param, facts, boundary, FloorOf(task, node), &candidate);
    }
    CommitBest(task, scratch.piece_best, passed.piece, node, candidate);
    left += passed.round.pairs.pair[i];
    low = passed.round.values[i];
  }
  return FloorOf(task, node);
}

/// Evaluates a lane's boundary in a step of a mixed round.
__device__ __forceinline__ void EvaluateMixed(SplitTask const& task, SplitScratch const& scratch, std::int64_t tile,
                                              bool is_boundary, std::uint32_t segment, Boundary const& boundary) {
  SegmentCandidate candidate;
  auto const node = task.table.NodeOf(segment);
  if (is_boundary && IsLive(task, segment)) {
    auto const facts = FactsOf(task, scratch, segment);
    double const floor = FloorOf(task, node);
    if (!task.screen.usable || SegmentScreen(facts, floor).MayReach(task.screen, boundary.left)) {
      ConsiderBoundary(task.param, facts, boundary, floor, &candidate);
    }
  }
  CommitBest(task, scratch.piece_best, tile + segment, node, candidate);
}

/// Scans up to 32 consecutive entries of several segments, one to a lane.
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
  EvaluateMixed(task, scratch, tile.tile, exists && !is_head && low != value, segment,
                {left, low, value, looked_at - task.table.begin[segment]});
  int const last = static_cast<int>(end - begin) - 1;
  state->segment = __shfl_sync(kAllLanes, segment, last);
  state->carry = FromLane(left + own, last);
  state->previous = __shfl_sync(kAllLanes, value, last);
}

/// Scans 128 entries of several segments.
__device__ __noinline__ void MixedRound(SplitTask const& task, SplitScratch const& scratch, WarpTile const& tile,
                                        std::int64_t base, ScanState* state) {
  std::int64_t const round_end = min(base + kRoundEntries, tile.end);
  for (std::int64_t begin = base; begin < round_end; begin += 32) {
    MixedStep(task, scratch, tile, begin, min(begin + 32, round_end), state);
  }
}

/// A warp's scan along its tile. All is inlined except the rare paths, which get copies, so that no member has an
/// address.
class TileScan {
 public:
  __device__ __forceinline__ TileScan(SplitTask const& task, SplitScratch const& scratch, WarpTile const& tile)
      : task_(task), scratch_(scratch), tile_(tile) {
    Enter(tile.first_segment);
    if (begin_ < tile.begin) {
      state_.carry = scratch.piece_sums[tile.tile + state_.segment];
      state_.previous = task.entries.values[tile.begin - 1];
    }
  }

  __device__ __forceinline__ void Run() {
#pragma unroll 1
    for (std::int64_t base = tile_.begin; base < tile_.end; base += kRoundEntries) {
      if (base >= end_) Enter(FindSegment(task_.table.begin, state_.segment, tile_.last_segment + 1, base));
      if (base + kRoundEntries > end_) {
        ScanState state = state_;
        MixedRound(task_, scratch_, WarpTile(tile_), base, &state);
        if (state.segment != state_.segment) Enter(state.segment);
        state_ = state;
      } else if (live_) {
        LiveRound(base);
      }
    }
  }

 private:
  __device__ __forceinline__ void Enter(std::uint32_t segment) {
    state_ = {segment, {0, 0}, 0.0F};
    begin_ = task_.table.begin[segment];
    end_ = task_.table.begin[segment + 1];
    live_ = IsLive(task_, segment);
    if (!live_) return;
    auto const node = task_.table.NodeOf(segment);
    auto const facts = FactsOf(task_, scratch_, segment);
    node_gain_ = facts.node.gain;
    screen_ = SegmentScreen(facts, FloorOf(task_, node));
  }

  __device__ __forceinline__ void LiveRound(std::int64_t base) {
    UniformRound const round(task_.entries, base, base == begin_, state_.carry, state_.previous);
    unsigned const passing = round.Passing(task_.screen, screen_);
    if (__any_sync(kAllLanes, passing != 0)) {
      double const floor =
          EvaluateRound(task_, scratch_, {tile_.tile + state_.segment, state_.segment, base - begin_, passing, round});
      screen_.needed = NeededGain(node_gain_, floor);
    }
    state_.carry = round.carry_out;
    state_.previous = round.last;
  }

  SplitTask const& task_;
  SplitScratch const& scratch_;
  WarpTile tile_;
  ScanState state_;
  std::int64_t begin_;  ///< start of the state's segment
  std::int64_t end_;
  bool live_;
  double node_gain_;
  SegmentScreen screen_;
};

/// Raises floors, with one thread per tile: evaluates the boundary between the previous tile and this one, if they
/// share a segment.
__global__ void __launch_bounds__(kBlockThreads) FloorKernel(SplitTask task, SplitScratch scratch) {
  std::int64_t const tile = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x + 1;
  std::int64_t const index = tile * kTileEntries;
  if (index >= task.n_entries) return;
  std::uint32_t const segment = task.table.of_tile[tile];
  if (task.table.begin[segment] == index || !IsLive(task, segment)) return;
  float const low = task.entries.values[index - 1];
  float const high = task.entries.values[index];
  if (low == high) return;
  auto const node = task.table.NodeOf(segment);
  auto const facts = FactsOf(task, scratch, segment);
  double const floor = FloorOf(task, node);
  FixedSum const left = scratch.piece_sums[tile + segment];
  if (task.screen.usable && !SegmentScreen(facts, floor).MayReach(task.screen, left)) return;
  SegmentCandidate best;
  ConsiderBoundary(task.param, facts, {left, low, high, index - task.table.begin[segment]}, floor, &best);
  if (best.state != SegmentCandidate::kNone) RaiseFloor(task, node, best.loss_change);
}

/// Returns whether a tile needs the exact formula somewhere. Clears the best of its pieces.
__device__ __forceinline__ bool NeedsEvaluation(SplitTask const& task, SplitScratch const& scratch,
                                                WarpTile const& tile) {
  for (std::uint32_t segment = tile.first_segment + Lane(); segment <= tile.last_segment; segment += 32) {
    scratch.piece_best[tile.tile + segment].state = SegmentCandidate::kNone;
  }
  std::uint32_t const segment = tile.first_segment;
  if (tile.end > task.table.begin[segment + 1]) return true;
  if (!IsLive(task, segment)) return false;
  if (tile.end != tile.begin + kTileEntries) return true;
  auto const node = task.table.NodeOf(segment);
  SegmentScreen const screen(FactsOf(task, scratch, segment), FloorOf(task, node));
  std::int64_t const begin = task.table.begin[segment];
  FixedSum carry;
  float previous = 0.0F;
  if (begin < tile.begin) {
    carry = scratch.piece_sums[tile.tile + segment];
    previous = task.entries.values[tile.begin - 1];
  }
  unsigned passing = 0;
#pragma unroll 1
  for (std::int64_t base = tile.begin; base < tile.end; base += kRoundEntries) {
    UniformRound const round(task.entries, base, base == begin, carry, previous);
    passing |= round.Passing(task.screen, screen);
    carry = round.carry_out;
    previous = round.last;
  }
  return __any_sync(kAllLanes, passing != 0);
}

__global__ void __launch_bounds__(kBlockThreads)
    ScreenKernel(__grid_constant__ SplitTask const task, __grid_constant__ SplitScratch const scratch) {
  __shared__ std::uint32_t listed[kWarpsPerBlock];
  __shared__ std::uint32_t place;
  WarpTile const tile = ThisTile(task.table, task.n_entries);
  bool const needed = tile.begin < task.n_entries && NeedsEvaluation(task, scratch, tile);
  if (Lane() == 0) listed[threadIdx.x / 32] = needed ? 1 : 0;
  __syncthreads();
  if (threadIdx.x == 0) {  // one atomic per block
    std::uint32_t count = 0;
    for (auto& one : listed) {
      std::uint32_t const own = one;
      one = count;
      count += own;
    }
    place = count == 0 ? 0 : atomicAdd(scratch.n_listed, count);
  }
  __syncthreads();
  if (needed && Lane() == 0) scratch.listed[place + listed[threadIdx.x / 32]] = static_cast<std::uint32_t>(tile.tile);
}

/// Warps take the listed tiles in turns.
__global__ void __launch_bounds__(kBlockThreads)
    EvaluateKernel(__grid_constant__ SplitTask const task, __grid_constant__ SplitScratch const scratch) {
  std::uint32_t const n_warps = gridDim.x * kWarpsPerBlock;
  for (std::uint32_t at = blockIdx.x * kWarpsPerBlock + threadIdx.x / 32; at < *scratch.n_listed; at += n_warps) {
    TileScan(task, scratch, TileAt(task.table, task.n_entries, scratch.listed[at])).Run();
  }
}

}  // namespace

void SumPieces(CudaContext const& ctx, SegmentTable const& table, FixedPair const* pairs, std::int64_t n_entries,
               FixedSum* piece_sums) {
  Launch(ctx, GridFor(NumTiles(n_entries), kWarpsPerBlock), kBlockThreads, SumPiecesKernel, table, pairs, n_entries,
         piece_sums);
}

void FindSplits(CudaContext const& ctx, SplitTask const& task, SplitScratch const& scratch, SplitCandidate* best) {
  PrefixPieces(ctx, task.table, scratch.piece_sums, scratch.segment_sums);
  auto const tiles = GridFor(NumTiles(task.n_entries), kWarpsPerBlock);
  FillZero(ctx, scratch.n_listed, 1);
  Launch(ctx, GridFor(NumTiles(task.n_entries), kBlockThreads), kBlockThreads, FloorKernel, task, scratch);
  Launch(ctx, tiles, kBlockThreads, ScreenKernel, task, scratch);
  Launch(ctx, std::min(tiles, kEvaluateBlocks), kBlockThreads, EvaluateKernel, task, scratch);
  ReduceSegments(ctx, task, scratch);
  ReduceNodes(ctx, task, scratch.segment_best, task.table.n_nodes + 1, best);
}

}  // namespace kauri::cuda
