/// 1. MarkKernel: looks up where each entry's row goes (one gathered word per entry), keeps one bit, counts the left
/// ones of
///    every piece.
/// 2. PiecePrefixKernel: lefts before each piece, lefts of each segment.
/// 3. ChildBeginKernel: where the children's segments begin, feature by feature.
/// 4. MoveKernel: every entry to its place; the rank among the lefts comes from the bits.
/// Bytes per entry: 4 in and 4 gathered (1), 16 in and 16 out (4).
#include <cub/block/block_scan.cuh>

#include "cuda/common/launch.h"
#include "cuda/exact/partition.h"
#include "cuda/exact/segmented.cuh"
#include "cuda/exact/warp_pieces.cuh"

namespace kauri::cuda {
namespace {

constexpr int kTileWords = kTileEntries / 32;

/// Set bits of a tile before entry `offset`, from the words and the counts before each word.
__device__ __forceinline__ int LeftsBefore(std::uint32_t const (&words)[kTileWords], int const (&before)[kTileWords],
                                           int offset) {
  if (offset == kTileEntries) return before[kTileWords - 1] + __popc(words[kTileWords - 1]);
  std::uint32_t const below = words[offset / 32] & ((std::uint32_t{1} << (offset % 32)) - 1);
  return before[offset / 32] + __popc(below);
}

/// before[w] = set bits in words[0 .. w). By one warp, two words a lane; ends with a barrier.
__device__ __forceinline__ void CountWords(std::uint32_t const (&words)[kTileWords], int (&before)[kTileWords]) {
  static_assert(kTileWords == 64, "two words per lane");
  if (threadIdx.x < 32) {
    int const first = __popc(words[2 * threadIdx.x]);
    int const both = first + __popc(words[2 * threadIdx.x + 1]);
    int inclusive = both;
    for (int step = 1; step < 32; step *= 2) {
      int const other = __shfl_up_sync(0xFFFFFFFFU, inclusive, step);
      if (static_cast<int>(threadIdx.x) >= step) inclusive += other;
    }
    before[2 * threadIdx.x] = inclusive - both;
    before[2 * threadIdx.x + 1] = inclusive - both + first;
  }
  __syncthreads();
}

__global__ void __launch_bounds__(kBlockThreads) MarkKernel(PartitionTask task, PartitionScratch scratch) {
  __shared__ std::int64_t segments[2];
  __shared__ std::uint32_t words[kTileWords];
  __shared__ int before[kTileWords];
  TileRange const range = FindTile(task.table, blockIdx.x, task.n_entries, segments);
  if (IsDeadTile(task.table, range)) return;
  SegmentCursor cursor(task.table, range);
  std::uint32_t rows[kThreadEntries];
#pragma unroll
  for (int item = 0; item < kThreadEntries; ++item) {
    std::int64_t const index = range.begin + item * kBlockThreads + static_cast<int>(threadIdx.x);
    rows[item] = index < range.end ? task.from.rows[index] : 0;
  }
  std::int32_t next[kThreadEntries];
#pragma unroll
  for (int item = 0; item < kThreadEntries; ++item) next[item] = task.next_of_row[rows[item]];
#pragma unroll
  for (int item = 0; item < kThreadEntries; ++item) {
    int const offset = item * kBlockThreads + static_cast<int>(threadIdx.x);
    std::int64_t const index = range.begin + offset;
    bool left = false;
    if (index < range.end) {
      cursor.MoveTo(index);
      if (!cursor.IsDead()) left = next[item] == task.moves[cursor.Node()].left;
    }
    std::uint32_t const word = __ballot_sync(0xFFFFFFFFU, left);
    if (threadIdx.x % 32 == 0) {
      words[offset / 32] = word;
      scratch.goes_left[(range.begin + offset) / 32] = word;
    }
  }
  __syncthreads();
  CountWords(words, before);
  for (std::int64_t segment = range.first_segment + threadIdx.x; segment <= range.last_segment;
       segment += kBlockThreads) {
    std::int64_t const begin = max(task.table.begin[segment], range.begin);
    std::int64_t const end = min(task.table.begin[segment + 1], range.end);
    if (begin >= end) continue;
    scratch.piece_lefts[range.tile + segment] = LeftsBefore(words, before, static_cast<int>(end - range.begin)) -
                                                LeftsBefore(words, before, static_cast<int>(begin - range.begin));
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
    MoveKernel(PartitionTask task, PartitionScratch scratch, std::int64_t const* children_begin) {
  __shared__ std::int64_t segments[2];
  __shared__ std::uint32_t words[kTileWords];
  __shared__ int before[kTileWords];
  TileRange const range = FindTile(task.table, blockIdx.x, task.n_entries, segments);
  if (IsDeadTile(task.table, range)) return;
  if (threadIdx.x < kTileWords) words[threadIdx.x] = scratch.goes_left[range.begin / 32 + threadIdx.x];
  __syncthreads();
  CountWords(words, before);
  SegmentCursor cursor(task.table, range);
#pragma unroll
  for (int item = 0; item < kThreadEntries; ++item) {
    int const offset = item * kBlockThreads + static_cast<int>(threadIdx.x);
    std::int64_t const index = range.begin + offset;
    if (index >= range.end) return;
    cursor.MoveTo(index);
    if (cursor.IsDead()) continue;
    bool const left = (words[offset / 32] >> (offset % 32) & 1U) != 0;
    std::int32_t const child = left ? task.moves[cursor.Node()].left : task.moves[cursor.Node()].right;
    if (child < 0) continue;
    std::int64_t const begin = cursor.SegmentBegin();
    int const piece_begin = begin > range.begin ? static_cast<int>(begin - range.begin) : 0;
    std::int64_t const left_rank = scratch.piece_lefts[range.tile + cursor.Segment()] +
                                   LeftsBefore(words, before, offset) - LeftsBefore(words, before, piece_begin);
    std::int64_t const rank = left ? left_rank : index - begin - left_rank;
    auto const feature = static_cast<std::int64_t>(task.table.FeatureOf(cursor.Segment()));
    std::int64_t const place = children_begin[feature * (task.n_children + 1) + child] + rank;
    task.to.rows[place] = task.from.rows[index];
    task.to.values[place] = task.from.values[index];
    task.to.pairs[place] = task.from.pairs[index];
  }
}

}  // namespace

void Partition(CudaContext const& ctx, PartitionTask const& task, PartitionScratch const& scratch,
               std::int64_t* children_begin) {
  auto const tiles = static_cast<unsigned>(NumTiles(task.n_entries));
  Launch(ctx, tiles, kBlockThreads, MarkKernel, task, scratch);
  Launch(ctx, GridFor(task.table.NumSegments() * 32, kBlockThreads), kBlockThreads, PiecePrefixKernel<std::int64_t>,
         task.table, scratch.piece_lefts, scratch.segment_lefts);
  Launch(ctx, static_cast<unsigned>(task.table.n_features), kBlockThreads, ChildBeginKernel, task, scratch,
         children_begin);
  Launch(ctx, tiles, kBlockThreads, MoveKernel, task, scratch, static_cast<std::int64_t const*>(children_begin));
}

}  // namespace kauri::cuda
