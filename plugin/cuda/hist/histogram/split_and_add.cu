#include <algorithm>

#include "cuda/common/launch.h"
#include "cuda/hist/histogram/add_rows.h"
#include "cuda/hist/histogram/shared_sums.cuh"
#include "cuda/hist/histogram/split_and_add.h"
#include "cuda/hist/rows/find_stretch.cuh"

namespace kauri::cuda {
namespace {

using Word = unsigned long long;

constexpr unsigned kAllLanes = 0xFFFFFFFFU;
constexpr std::uint32_t kWarps = kSumThreads / 32;
/// Of a warp and turn.
constexpr std::uint32_t kMostSteps = 8;
constexpr std::uint32_t kMostRows = 32 * kMostSteps;

/// What the kernel has besides sums: the rows that each warp is about to add.
using KeptRows = std::uint32_t[kWarps][kMostRows];

/// Rows of one warp and turn on their way to the children.
struct RowMove {
  std::uint32_t rows[kMostSteps];   ///< the lane's
  std::uint32_t lefts[kMostSteps];  ///< of all lanes, a bit each
  std::uint32_t n_rows;
  std::uint32_t n_left;
  std::uint32_t first_left;
  std::uint32_t first_right;
};

__device__ __forceinline__ std::uint32_t Lane() { return threadIdx.x % 32; }

/// Looks up where `n_rows` rows of the node go, from its row `first` on.
__device__ __forceinline__ void Look(SplitTask const& task, NodeSplit const& split, std::uint32_t first,
                                     RowMove* move) {
  std::uint32_t const* const list =
      split.rows.buffer < 0 ? nullptr : task.rows.Of(split.rows.buffer) + split.rows.begin;
  std::uint32_t codes[kMostSteps];
#pragma unroll
  for (std::uint32_t step = 0; step < kMostSteps; ++step) {
    std::uint32_t const place = 32 * step + Lane();
    move->rows[step] = place >= move->n_rows ? 0 : list == nullptr ? first + place : list[first + place];
  }
#pragma unroll
  for (std::uint32_t step = 0; step < kMostSteps; ++step) {
    bool const is_row = 32 * step + Lane() < move->n_rows;
    codes[step] =
        is_row ? task.codes.bytes[split.place.first + static_cast<std::uint64_t>(move->rows[step]) * split.place.stride]
               : 0;
  }
  move->n_left = 0;
#pragma unroll
  for (std::uint32_t step = 0; step < kMostSteps; ++step) {
    std::uint32_t const stored = codes[step] - split.place.first_code;
    std::uint32_t const code = stored < split.place.n_codes ? stored : split.place.usual;
    bool const is_row = 32 * step + Lane() < move->n_rows;
    move->lefts[step] = __ballot_sync(kAllLanes, is_row && GoesLeft(split, code, task.category_bits));
    move->n_left += static_cast<std::uint32_t>(__popc(move->lefts[step]));
  }
}

/// One addition to both counts of the node, which lie side by side.
__device__ __forceinline__ void Reserve(std::uint32_t* n_left, RowMove* move) {
  Word before = 0;
  if (Lane() == 0) {
    Word const counts = static_cast<Word>(move->n_rows - move->n_left) << 32U | move->n_left;
    before = atomicAdd(reinterpret_cast<Word*>(n_left), counts);
  }
  before = __shfl_sync(kAllLanes, before, 0);
  move->first_left = static_cast<std::uint32_t>(before);
  move->first_right = static_cast<std::uint32_t>(before >> 32U);
}

/// Writes the rows' numbers to their places, and those of the child that is added up to `kept` too.
__device__ __forceinline__ void Write(NodeSplit const& split, RowMove const& move, std::uint32_t* to,
                                      std::uint32_t* kept) {
  std::uint32_t lefts_before = 0;
#pragma unroll
  for (std::uint32_t step = 0; step < kMostSteps; ++step) {
    std::uint32_t const place = 32 * step + Lane();
    std::uint32_t const left =
        lefts_before + static_cast<std::uint32_t>(__popc(move.lefts[step] & ((1U << Lane()) - 1U)));
    lefts_before += static_cast<std::uint32_t>(__popc(move.lefts[step]));
    if (place >= move.n_rows) continue;
    bool const is_left = (move.lefts[step] >> Lane() & 1U) != 0;
    std::uint32_t const rank = is_left ? left : place - left;
    to[is_left ? move.first_left + rank : split.rows.count - 1 - (move.first_right + rank)] = move.rows[step];
    if (is_left == (split.adds_left != 0)) kept[rank] = move.rows[step];
  }
}

/// Tells rows whose node is the last on their path their leaf.
__device__ __forceinline__ void WriteLeavesOf(NodeSplit const& split, RowMove const& move, std::int32_t* leaf_of_row) {
#pragma unroll
  for (std::uint32_t step = 0; step < kMostSteps; ++step) {
    if (32 * step + Lane() >= move.n_rows) continue;
    leaf_of_row[move.rows[step]] = (move.lefts[step] >> Lane() & 1U) != 0 ? split.left : split.right;
  }
}

/// What a block does with some rows of one node.
template <int kWordsPerRow>
struct NodePiece {
  SplitTask const& task;
  NodeSplit const& split;
  std::uint32_t* n_left;
  std::uint32_t begin;  ///< of the node's rows
  std::uint32_t count;

  /// Rows of a warp and turn: all warps have some where there are few.
  __device__ std::uint32_t RowsPerTurn() const {
    return 32 * max(1U, min(kMostSteps, (count + kSumThreads - 1) / kSumThreads));
  }

  __device__ void Run(std::uint32_t* kept, SharedSums<kWordsPerRow>* sums) const {
    std::uint32_t const rows_per_turn = RowsPerTurn();
    std::uint32_t* const to = task.rows.Of(split.rows.buffer == 0 ? 1 : 0) + split.rows.begin;
    for (std::uint32_t first = threadIdx.x / 32 * rows_per_turn; first < count; first += kWarps * rows_per_turn) {
      RowMove move;
      move.n_rows = min(rows_per_turn, count - first);
      Look(task, split, begin + first, &move);
      if (split.is_last != 0) {
        WriteLeavesOf(split, move, task.leaf_of_row);
        continue;
      }
      Reserve(n_left, &move);
      Write(split, move, to, kept);
      if (split.histogram == nullptr) continue;
      __syncwarp();
      std::uint32_t const n_kept = split.adds_left != 0 ? move.n_left : move.n_rows - move.n_left;
      for (std::uint32_t turn = 0; turn < n_kept; turn += 32) {
        std::uint32_t const number = turn + Lane() < n_kept ? kept[turn + Lane()] : 0;
        sums->AddTurn(number, n_kept - turn);
      }
      __syncwarp();
    }
  }
};

template <int kWordsPerRow>
__global__ void __launch_bounds__(kSumThreads, 1)
    SplitAndAddKernel(SplitTask task, CodeGroup group, FixedPair const* pairs, SumColumn const* columns) {
  extern __shared__ std::uint32_t shared_sums[];
  __shared__ KeptRows kept;
  BlockRange range = RangeOfBlock(task.n_rows);
  if (range.begin == range.end) return;
  SharedSums<kWordsPerRow> sums(shared_sums, group, task.codes.bytes, pairs);
  sums.Clear();
  std::uint32_t node = FindStretch(static_cast<std::uint32_t>(task.splits.size()), range.begin,
                                   [&](std::uint32_t i) { return task.splits.data()[i].first_row; });
  while (range.begin < range.end) {
    NodeSplit const& split = task.splits.data()[node];
    std::uint32_t const begin = range.begin - split.first_row;
    std::uint32_t const count = min(min(split.rows.count - begin, range.end - range.begin), kRowsPerFlush);
    NodePiece<kWordsPerRow>{task, split, task.n_left + 2 * node, begin, count}.Run(kept[threadIdx.x / 32], &sums);
    if (split.histogram != nullptr) sums.Flush(group, columns, split.histogram);
    range.begin += count;
    if (begin + count == split.rows.count) ++node;
  }
}

template <int kWordsPerRow>
void Run(CudaContext const& cuda, DeviceBins const& bins, SplitTask const& task, FixedPair const* pairs) {
  LaunchShared(cuda, SumBlocks(cuda, task.n_rows), kSumThreads, BytesOfSums(bins.groups[0]),
               SplitAndAddKernel<kWordsPerRow>, task, bins.groups[0], pairs, bins.device_columns.data());
}

}  // namespace

bool CanSplitAndAdd(CudaContext const& cuda, DeviceBins const& bins) {
  if (bins.form != CodeForm::kBytes || bins.groups.empty()) return false;
  int most = 0;
  KAURI_CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda.device));
  std::size_t needed = 0;
  for (auto const& group : bins.groups) needed = std::max(needed, BytesOfSums(group));
  return needed + sizeof(KeptRows) <= static_cast<std::size_t>(most);
}

void SplitAndAdd(CudaContext const& cuda, DeviceBins const& bins, SplitTask const& task, FixedPair const* pairs) {
  auto const width = bins.groups[0].width;
  if (width == 4) return Run<1>(cuda, bins, task, pairs);
  if (width == 8) return Run<2>(cuda, bins, task, pairs);
  if (width == 16) return Run<4>(cuda, bins, task, pairs);
  Run<8>(cuda, bins, task, pairs);
}

}  // namespace kauri::cuda
