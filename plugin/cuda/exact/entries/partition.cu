/// 1. MarkKernel: looks up whether each entry's row goes left (one gathered bit per entry), keeps the bits in entry
///    order, and counts the set bits of every piece.
/// 2. PiecePrefixKernel: computes the lefts before each piece and the lefts of each segment.
/// 3. ChildBeginKernel: computes the starts of the children's segments, feature by feature.
/// 4. MoveKernel: moves every entry to its place; the bits give its rank among the lefts. On the way it adds up the
///    pairs of the entries' new pieces, so that split finding needs no separate pass for them.
/// Bytes per entry: 4 in and a 32-byte sector of the second-level cache gathered (1), 16 in and 16 out (4).
#include <cub/block/block_scan.cuh>

#include "cuda/common/launch.h"
#include "cuda/exact/entries/partition.h"
#include "cuda/exact/entries/warp_tile.cuh"

namespace kauri::cuda {
namespace {

/// The bits of a tile: lane w < kTileWords holds word w and the number of set bits before it.
struct TileBits {
  std::uint32_t word;
  int before;
};

__device__ __forceinline__ TileBits CountBits(std::uint32_t word) {
  int const own = __popc(word);
  int inclusive = own;
#pragma unroll
  for (int step = 1; step < kTileWords; step *= 2) {
    int const other = __shfl_up_sync(kAllLanes, inclusive, static_cast<unsigned>(step));
    if (Lane() >= step) inclusive += other;
  }
  return {word, inclusive - own};
}

/// Returns the set bits before entry `offset` of the tile, [0, kTileEntries]. All lanes call it, each with its own
/// offset.
__device__ __forceinline__ int BitsBefore(TileBits const& bits, int offset) {
  int const at = offset < kTileEntries ? offset / 32 : kTileWords - 1;
  std::uint32_t const word = __shfl_sync(kAllLanes, bits.word, at);
  int const before = __shfl_sync(kAllLanes, bits.before, at);
  int const within = offset - 32 * at;
  return before + __popc(within == 32 ? word : word & ((std::uint32_t{1} << within) - 1));
}

__global__ void __launch_bounds__(kBlockThreads) MarkKernel(PartitionTask task, PartitionScratch scratch) {
  WarpTile const tile = ThisTile(task.table, task.n_entries);
  if (tile.begin >= task.n_entries || IsDeadTile(task.table, tile)) return;
  std::uint32_t rows[kTileWords];
#pragma unroll
  for (int word = 0; word < kTileWords; ++word) {
    std::int64_t const index = tile.begin + 32 * word + Lane();
    rows[word] = index < tile.end ? task.from.rows[index] : 0;
  }
  std::uint32_t own_word = 0;
#pragma unroll
  for (int word = 0; word < kTileWords; ++word) {
    bool const left = (task.row_goes_left[rows[word] / 32] >> (rows[word] % 32) & 1U) != 0;
    std::uint32_t const bits = __ballot_sync(kAllLanes, left);
    if (Lane() == word) own_word = bits;
  }
  if (Lane() < kTileWords) scratch.goes_left[tile.tile * kTileWords + Lane()] = own_word;
  TileBits const bits = CountBits(own_word);
  for (std::uint32_t base = tile.first_segment; base <= tile.last_segment; base += 32) {
    std::uint32_t const segment = base + Lane();
    bool const exists = segment <= tile.last_segment;
    std::int64_t const begin = exists ? max(task.table.begin[segment], tile.begin) : tile.begin;
    std::int64_t const end = exists ? min(task.table.begin[segment + 1], tile.end) : tile.begin;
    int const lefts = BitsBefore(bits, static_cast<int>(end < begin ? 0 : end - tile.begin)) -
                      BitsBefore(bits, static_cast<int>(end < begin ? 0 : begin - tile.begin));
    if (begin < end) scratch.piece_lefts[tile.tile + segment] = lefts;
  }
}

/// One block per feature.
__global__ void __launch_bounds__(kBlockThreads)
    ChildBeginKernel(PartitionTask task, PartitionScratch scratch, std::int64_t* children_begin) {
  using Scan = cub::BlockScan<std::int64_t, kBlockThreads>;
  __shared__ typename Scan::TempStorage temp;
  std::int64_t const feature = blockIdx.x;
  std::int64_t const* parent_begin = task.table.begin + feature * (task.table.n_nodes + 1);
  std::int64_t const* lefts = scratch.segment_lefts + feature * (task.table.n_nodes + 1);
  std::int64_t* begin = children_begin + feature * (task.n_children + 1);
  std::int64_t running = task.feature_begin[feature];
  for (std::int32_t base = 0; base <= task.n_children; base += kBlockThreads) {
    std::int32_t const child = base + static_cast<std::int32_t>(threadIdx.x);
    std::int64_t count = 0;
    if (child < task.n_children) {
      std::int32_t const parent = task.parent_of_child[child] / 2;
      bool const is_right = task.parent_of_child[child] % 2 != 0;
      count = is_right ? parent_begin[parent + 1] - parent_begin[parent] - lefts[parent] : lefts[parent];
    }
    std::int64_t before = 0;
    std::int64_t all = 0;
    Scan(temp).ExclusiveSum(count, before, all);
    if (child <= task.n_children) begin[child] = running + before;
    running += all;
    __syncthreads();
  }
  if (feature == task.table.n_features - 1 && threadIdx.x == 0) {
    begin[task.n_children + 1] = task.feature_begin[feature + 1];
  }
}

__global__ void __launch_bounds__(kBlockThreads)
    FindTileSegmentsKernel(SegmentTable table, std::int64_t n_tiles, std::int64_t n_entries, std::uint32_t* of_tile) {
  std::int64_t const tile = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (tile > n_tiles) return;
  std::int64_t const index = tile < n_tiles ? tile * kTileEntries : n_entries - 1;
  of_tile[tile] = FindSegment(table.begin, 0, static_cast<std::uint32_t>(table.NumSegments()), index);
}

/// Destination of a child's part of a tile, and the sums of the at most two pieces that the part falls into.
struct RunToChild {
  bool wanted;         ///< the child is an active node, not a leaf
  std::int64_t place;  ///< place of the first entry
  std::int64_t piece;  ///< new piece of the first entry
  int next_tile;       ///< rank of the first entry that falls into the next tile
  FixedSum here;
  FixedSum beyond;

  __device__ RunToChild(std::int32_t child, std::int64_t first_segment, std::int64_t const* begin,
                        std::int64_t entries_before)
      : wanted(child >= 0) {
    std::int64_t const segment = first_segment + (wanted ? child : 0);
    place = begin[segment] + entries_before;
    piece = place / kTileEntries + segment;
    next_tile = kTileEntries - static_cast<int>(place % kTileEntries);
  }
  /// Adds the sums to the pieces. All lanes call it.
  __device__ void Commit(FixedSum* piece_sums) const {
    FixedSum const all_here = WarpSum(here);
    FixedSum const all_beyond = WarpSum(beyond);
    if (Lane() != 0) return;
    if (!(all_here == FixedSum())) AtomicAdd(piece_sums + piece, all_here);
    if (!(all_beyond == FixedSum())) AtomicAdd(piece_sums + piece + 1, all_beyond);
  }
};

/// The entries of a warp's tile, lefts first. They are put in order here so that memory is written in whole sectors.
/// Storing each entry at once would touch every sector twice.
struct StagedTile {
  FixedPair pairs[kTileEntries];
  std::uint32_t rows[kTileEntries];
  float values[kTileEntries];
};

/// Threads of a block. The staged tiles of seven blocks fit into a multiprocessor's shared memory.
constexpr int kMoveThreads = 128;
/// Number of words of a tile (a word is 32 entries, one bit for each) that are loaded before the first of them is
/// staged, because bytes in flight hide the memory's latency.
constexpr int kWordsAtOnce = 4;

/// Copies a warp's tile to `staged`: first the n_left entries that go left, then the others, both in their order. All
/// lanes call it. Bits beyond the end of the tile may be set; they are never read.
__device__ __forceinline__ void StageTile(EntryArrays const& from, WarpTile const& tile, TileBits const& bits,
                                          int n_left, StagedTile* staged) {
#pragma unroll 1
  for (int first = 0; first < kTileWords; first += kWordsAtOnce) {
    std::uint32_t row[kWordsAtOnce];
    float value[kWordsAtOnce];
    int2 pair[kWordsAtOnce];
#pragma unroll
    for (int i = 0; i < kWordsAtOnce; ++i) {
      std::int64_t const index = tile.begin + 32 * (first + i) + Lane();
      if (index >= tile.end) continue;
      row[i] = __ldcs(from.rows + index);
      value[i] = __ldcs(from.values + index);
      pair[i] = __ldcs(reinterpret_cast<int2 const*>(from.pairs) + index);
    }
#pragma unroll
    for (int i = 0; i < kWordsAtOnce; ++i) {
      int const offset = 32 * (first + i) + Lane();
      std::uint32_t const mask = __shfl_sync(kAllLanes, bits.word, first + i);
      int const lefts_before =
          __shfl_sync(kAllLanes, bits.before, first + i) + __popc(mask & ((std::uint32_t{1} << Lane()) - 1));
      if (tile.begin + offset >= tile.end) continue;
      bool const left = (mask >> Lane() & 1U) != 0;
      int const to = left ? lefts_before : n_left + offset - lefts_before;
      staged->rows[to] = row[i];
      staged->values[to] = value[i];
      staged->pairs[to] = {pair[i].x, pair[i].y};
    }
  }
  __syncwarp();
}

/// Writes staged entries [first, first + count) to their places, 32 at a time from a multiple of 32, so that a step is
/// within one tile.
__device__ __forceinline__ void WriteRun(EntryArrays const& to, StagedTile const& staged, int first, int count,
                                         RunToChild* run) {
  if (!run->wanted) return;
  for (int base = -static_cast<int>(run->place % 32); base < count; base += 32) {
    int const rank = base + Lane();
    if (rank < 0 || rank >= count) continue;
    FixedPair const pair = staged.pairs[first + rank];
    std::int64_t const place = run->place + rank;
    to.rows[place] = staged.rows[first + rank];
    to.values[place] = staged.values[first + rank];
    to.pairs[place] = pair;
    if (rank < run->next_tile) {
      run->here += pair;
    } else {
      run->beyond += pair;
    }
  }
  __syncwarp();
}

/// Moves a tile within one segment: its lefts and its rights are two runs of consecutive places.
__device__ __forceinline__ void MoveUniformTile(PartitionTask const& task, PartitionScratch const& scratch,
                                                ChildSegments const& children, WarpTile const& tile,
                                                TileBits const& bits, StagedTile* staged) {
  std::uint32_t const segment = tile.first_segment;
  NodeMove const move = task.moves[task.table.NodeOf(segment)];
  if (move.left < 0 && move.right < 0) return;
  int const count = static_cast<int>(tile.end - tile.begin);
  int const n_left = BitsBefore(bits, count);
  StageTile(task.from, tile, bits, n_left, staged);
  std::int64_t const first_child = static_cast<std::int64_t>(task.table.FeatureOf(segment)) * (task.n_children + 1);
  std::int64_t const lefts = scratch.piece_lefts[tile.tile + segment];
  std::int64_t const rights = tile.begin - task.table.begin[segment] - lefts;
  RunToChild left_run(move.left, first_child, children.begin, lefts);
  WriteRun(task.to, *staged, 0, n_left, &left_run);
  if (left_run.wanted) left_run.Commit(children.piece_sums);
  RunToChild right_run(move.right, first_child, children.begin, rights);
  WriteRun(task.to, *staged, n_left, count - n_left, &right_run);
  if (right_run.wanted) right_run.Commit(children.piece_sums);
}

/// Moves a tile of several segments, entry by entry.
__device__ __noinline__ void MoveMixedTile(PartitionTask const& task, PartitionScratch const& scratch,
                                           ChildSegments const& children, WarpTile const& tile, TileBits const& bits) {
  SegmentCursor cursor(task.table, tile);
  for (int word = 0; word < kTileWords; ++word) {
    int const offset = 32 * word + Lane();
    std::int64_t const index = tile.begin + offset;
    bool const exists = index < tile.end;
    if (exists) cursor.MoveTo(index);
    std::int64_t const begin = exists ? cursor.SegmentBegin() : tile.begin;
    int const before = BitsBefore(bits, offset);
    int const before_piece = BitsBefore(bits, begin > tile.begin ? static_cast<int>(begin - tile.begin) : 0);
    std::uint32_t const mask = __shfl_sync(kAllLanes, bits.word, word);
    if (!exists || task.table.IsDead(cursor.Segment())) continue;
    bool const left = (mask >> Lane() & 1U) != 0;
    NodeMove const& move = task.moves[task.table.NodeOf(cursor.Segment())];
    std::int32_t const child = left ? move.left : move.right;
    if (child < 0) continue;
    std::int64_t const left_rank = scratch.piece_lefts[tile.tile + cursor.Segment()] + before - before_piece;
    std::int64_t const rank = left ? left_rank : index - begin - left_rank;
    std::int64_t const child_segment =
        static_cast<std::int64_t>(task.table.FeatureOf(cursor.Segment())) * (task.n_children + 1) + child;
    std::int64_t const place = children.begin[child_segment] + rank;
    FixedPair const pair = task.from.pairs[index];
    task.to.rows[place] = task.from.rows[index];
    task.to.values[place] = task.from.values[index];
    task.to.pairs[place] = pair;
    FixedSum sum;
    sum += pair;
    AtomicAdd(children.piece_sums + place / kTileEntries + child_segment, sum);
  }
}

__global__ void __launch_bounds__(kMoveThreads)
    MoveKernel(__grid_constant__ PartitionTask const task, __grid_constant__ PartitionScratch const scratch,
               __grid_constant__ ChildSegments const children) {
  __shared__ StagedTile staged[kMoveThreads / 32];
  WarpTile const tile = ThisTile(task.table, task.n_entries);
  if (tile.begin >= task.n_entries || IsDeadTile(task.table, tile)) return;
  TileBits const bits = CountBits(Lane() < kTileWords ? scratch.goes_left[tile.tile * kTileWords + Lane()] : 0);
  if (tile.end <= task.table.begin[tile.first_segment + 1]) {
    MoveUniformTile(task, scratch, children, tile, bits, &staged[threadIdx.x / 32]);
  } else {
    MoveMixedTile(task, scratch, children, tile, bits);
  }
}

}  // namespace

void FindTileSegments(CudaContext const& ctx, SegmentTable const& table, std::int64_t n_entries,
                      std::uint32_t* of_tile) {
  auto const n_tiles = NumTiles(n_entries);
  Launch(ctx, GridFor(n_tiles + 1, kBlockThreads), kBlockThreads, FindTileSegmentsKernel, table, n_tiles, n_entries,
         of_tile);
}

void Partition(CudaContext const& ctx, PartitionTask const& task, PartitionScratch const& scratch,
               ChildSegments const& children) {
  auto const blocks = GridFor(NumTiles(task.n_entries), kWarpsPerBlock);
  auto const n_child_segments = static_cast<std::int64_t>(task.table.n_features) * (task.n_children + 1);
  FillZero(ctx, children.piece_sums, static_cast<std::size_t>(NumTiles(task.n_entries) + n_child_segments));
  Launch(ctx, blocks, kBlockThreads, MarkKernel, task, scratch);
  PrefixPieces(ctx, task.table, scratch.piece_lefts, scratch.segment_lefts);
  Launch(ctx, static_cast<unsigned>(task.table.n_features), kBlockThreads, ChildBeginKernel, task, scratch,
         children.begin);
  Launch(ctx, GridFor(NumTiles(task.n_entries), kMoveThreads / 32), kMoveThreads, MoveKernel, task, scratch, children);
  SegmentTable const child_table{children.begin, nullptr, task.table.n_features, task.n_children};
  FindTileSegments(ctx, child_table, task.n_entries, children.of_tile);
}

}  // namespace kauri::cuda
