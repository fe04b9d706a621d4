#include "cuda/common/launch.h"
#include "cuda/hist/rows/find_stretch.cuh"
#include "cuda/hist/rows/node_rows.h"

namespace kauri::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kRowsPerThread = static_cast<int>(kTileRows) / kThreads;
constexpr unsigned kAllLanes = 0xFFFFFFFFU;

/// Of stretches with tiles, that of this block's.
template <typename Stretch>
__device__ __forceinline__ std::uint32_t StretchOfTile(Span<Stretch> stretches) {
  return FindStretch(static_cast<std::uint32_t>(stretches.size()), blockIdx.x,
                     [&](std::uint32_t i) { return stretches.data()[i].first_tile; });
}

/// Of the rows of a tile, step by step of kThreads rows, where those that go left begin: filled by counts, then
/// scanned.
struct TilePlaces {
  std::uint32_t before[kRowsPerThread * kWarps + 1];  ///< lefts before each warp's turn, then all
  std::uint32_t first_left;                           ///< of the tile among the node's
  std::uint32_t first_right;
};

/// An exclusive scan of the counts by the first warp, which reserves the tile's places in both children as well.
__device__ __forceinline__ void ReservePlaces(TilePlaces* places, std::uint32_t n_rows, std::uint32_t* n_left) {
  constexpr int kTurns = kRowsPerThread * kWarps;
  static_assert(kTurns % 32 == 0);
  int const lane = static_cast<int>(threadIdx.x);
  std::uint32_t carry = 0;
  for (int first = 0; first < kTurns; first += 32) {
    std::uint32_t const own = places->before[first + lane];
    std::uint32_t inclusive = own;
    for (int step = 1; step < 32; step *= 2) {
      std::uint32_t const other = __shfl_up_sync(kAllLanes, inclusive, static_cast<unsigned>(step));
      if (lane >= step) inclusive += other;
    }
    places->before[first + lane] = carry + inclusive - own;
    carry += __shfl_sync(kAllLanes, inclusive, 31);
  }
  if (lane == 0) {
    places->before[kTurns] = carry;
    places->first_left = atomicAdd(n_left, carry);
    places->first_right = atomicAdd(n_left + 1, n_rows - carry);
  }
}

/// One tile of one node a block.
__global__ void __launch_bounds__(kThreads) SplitNodesKernel(SplitTask task) {
  __shared__ TilePlaces places;
  std::uint32_t const node = StretchOfTile(task.splits);
  NodeSplit const split = task.splits.data()[node];
  std::uint32_t const first = (blockIdx.x - split.first_tile) * kTileRows;
  std::uint32_t const n_rows = min(kTileRows, split.rows.count - first);
  std::uint32_t const* const from =
      split.rows.buffer < 0 ? nullptr : task.rows.Of(split.rows.buffer) + split.rows.begin;
  int const lane = static_cast<int>(threadIdx.x % 32);
  int const warp = static_cast<int>(threadIdx.x / 32);
  std::uint32_t rows[kRowsPerThread];
#pragma unroll
  for (int step = 0; step < kRowsPerThread; ++step) {
    std::uint32_t const place = static_cast<std::uint32_t>(step * kThreads) + threadIdx.x;
    rows[step] = place >= n_rows ? 0 : from == nullptr ? first + place : from[first + place];
  }
  std::uint32_t lefts[kRowsPerThread];
#pragma unroll
  for (int step = 0; step < kRowsPerThread; ++step) {
    std::uint32_t const place = static_cast<std::uint32_t>(step * kThreads) + threadIdx.x;
    bool const is_left =
        place < n_rows && GoesLeft(split, CodeOf(task.codes, split.place, rows[step]), task.category_bits);
    lefts[step] = __ballot_sync(kAllLanes, is_left);
    if (split.is_last != 0 && place < n_rows) task.leaf_of_row[rows[step]] = is_left ? split.left : split.right;
    if (lane == 0) places.before[step * kWarps + warp] = static_cast<std::uint32_t>(__popc(lefts[step]));
  }
  if (split.is_last != 0) return;
  __syncthreads();
  if (warp == 0) ReservePlaces(&places, n_rows, task.n_left + 2 * node);
  __syncthreads();
  std::uint32_t* const to = task.rows.Of(split.rows.buffer == 0 ? 1 : 0) + split.rows.begin;
#pragma unroll
  for (int step = 0; step < kRowsPerThread; ++step) {
    std::uint32_t const place = static_cast<std::uint32_t>(step * kThreads) + threadIdx.x;
    if (place >= n_rows) break;
    std::uint32_t const lefts_before =
        places.before[step * kWarps + warp] + static_cast<std::uint32_t>(__popc(lefts[step] & ((1U << lane) - 1U)));
    bool const is_left = (lefts[step] >> lane & 1U) != 0;
    std::uint32_t const rank = is_left ? places.first_left + lefts_before : places.first_right + place - lefts_before;
    to[is_left ? rank : split.rows.count - 1 - rank] = rows[step];
  }
}

__global__ void __launch_bounds__(kThreads)
    WriteLeavesKernel(Span<LeafRows const> leaves, RowPointers buffers, std::int32_t* leaf_of_row) {
  LeafRows const leaf = leaves.data()[StretchOfTile(leaves)];
  std::uint32_t const first = (blockIdx.x - leaf.first_tile) * kTileRows;
  std::uint32_t const end = min(first + kTileRows, leaf.rows.count);
  std::uint32_t const* const rows = buffers.Of(leaf.rows.buffer);
  for (std::uint32_t place = first + threadIdx.x; place < end; place += kThreads) {
    leaf_of_row[leaf.rows.buffer < 0 ? place : rows[leaf.rows.begin + place]] = leaf.leaf;
  }
}

}  // namespace

void RowBuffers::Reserve(CudaContext const& cuda, std::int64_t n_rows) {
  for (auto& buffer : rows) buffer.Reserve(cuda, ToSize(n_rows));
}

void SplitNodes(CudaContext const& cuda, SplitTask const& task) {
  Launch(cuda, task.n_tiles, kThreads, SplitNodesKernel, task);
}

void WriteLeaves(CudaContext const& cuda, Span<LeafRows const> leaves, std::uint32_t n_tiles, RowPointers const& rows,
                 std::int32_t* leaf_of_row) {
  Launch(cuda, n_tiles, kThreads, WriteLeavesKernel, leaves, rows, leaf_of_row);
}

}  // namespace kauri::cuda
