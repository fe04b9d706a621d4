#include "cuda/common/launch.h"
#include "cuda/hist/rows/find_stretch.cuh"
#include "cuda/hist/rows/node_rows.h"

namespace kauri::cuda {
namespace {

constexpr int kWarps = kBlockThreads / 32;
constexpr unsigned kAllLanes = 0xFFFFFFFFU;

/// Start of the rows that go left, for each step of kBlockThreads rows of a tile and each warp. First holds counts,
/// which are then scanned.
template <int kRowsPerThread>
struct TilePlaces {
  std::uint32_t before[kRowsPerThread * kWarps + 1];  ///< left-going rows before each warp's turn; last, all of them
  std::uint32_t first_left;                           ///< place of the tile's first left row among the node's
  std::uint32_t first_right;
};

/// Scans the counts exclusively and reserves the tile's places in both children. Called by the first warp.
template <int kRowsPerThread>
__device__ __forceinline__ void ReservePlaces(TilePlaces<kRowsPerThread>* places, std::uint32_t n_rows,
                                              std::uint32_t* n_left) {
  constexpr int kTurns = kRowsPerThread * kWarps;
  int const lane = static_cast<int>(threadIdx.x);
  std::uint32_t carry = 0;
  for (int first = 0; first < kTurns; first += 32) {
    std::uint32_t const own = first + lane < kTurns ? places->before[first + lane] : 0;
    std::uint32_t inclusive = own;
    for (int step = 1; step < 32; step *= 2) {
      std::uint32_t const other = __shfl_up_sync(kAllLanes, inclusive, static_cast<unsigned>(step));
      if (lane >= step) inclusive += other;
    }
    if (first + lane < kTurns) places->before[first + lane] = carry + inclusive - own;
    carry += __shfl_sync(kAllLanes, inclusive, 31);
  }
  if (lane == 0) {
    places->before[kTurns] = carry;
    places->first_left = atomicAdd(n_left, carry);
    places->first_right = atomicAdd(n_left + 1, n_rows - carry);
  }
}

/// Rows of a tile that one thread handles, kBlockThreads apart.
template <int kRowsPerThread>
struct ThreadRows {
  std::uint32_t n_rows;  ///< number of rows of the tile
  std::uint32_t rows[kRowsPerThread];
  std::uint32_t lefts[kRowsPerThread];  ///< one per step; a bit for each lane of the warp whose row goes left

  __device__ static std::uint32_t PlaceOf(int step) {
    return static_cast<std::uint32_t>(step * kBlockThreads) + threadIdx.x;
  }

  /// list: of the node's rows; nullptr: all rows in their order.
  __device__ void Load(std::uint32_t const* list, std::uint32_t first) {
#pragma unroll
    for (int step = 0; step < kRowsPerThread; ++step) {
      std::uint32_t const place = PlaceOf(step);
      rows[step] = place >= n_rows ? 0 : list == nullptr ? first + place : list[first + place];
    }
  }

  /// Loads the codes of the feature at `place`. A thread waits for memory, so bytes, which nearly all codes are, are
  /// requested all at once.
  __device__ void LoadCodes(CodeView const& view, FeaturePlace const& place, std::uint32_t* codes) const {
    if (view.form != CodeForm::kBytes) {
      for (int step = 0; step < kRowsPerThread; ++step) codes[step] = CodeOf(view, place, rows[step]);
      return;
    }
#pragma unroll
    for (int step = 0; step < kRowsPerThread; ++step) {
      codes[step] = view.bytes[place.first + static_cast<std::uint64_t>(rows[step]) * place.stride];
    }
#pragma unroll
    for (int step = 0; step < kRowsPerThread; ++step) codes[step] = CodeOfStored(place, codes[step]);
  }

  /// Writes the rows to the stretch of their node's children; rows that go right are written from the back. n_of_node:
  /// number of rows of the node.
  __device__ void Put(TilePlaces<kRowsPerThread> const& places, std::uint32_t n_of_node, std::uint32_t* to) const {
    int const lane = static_cast<int>(threadIdx.x % 32);
    int const warp = static_cast<int>(threadIdx.x / 32);
#pragma unroll
    for (int step = 0; step < kRowsPerThread; ++step) {
      std::uint32_t const place = PlaceOf(step);
      if (place >= n_rows) break;
      std::uint32_t const left =
          places.before[step * kWarps + warp] + static_cast<std::uint32_t>(__popc(lefts[step] & ((1U << lane) - 1U)));
      bool const is_left = (lefts[step] >> lane & 1U) != 0;
      std::uint32_t const rank = is_left ? places.first_left + left : places.first_right + place - left;
      to[is_left ? rank : n_of_node - 1 - rank] = rows[step];
    }
  }
};

/// One block moves one tile of one node.
template <int kRowsPerThread>
__global__ void __launch_bounds__(kBlockThreads) SplitNodesKernel(MoveTask task) {
  using Rows = ThreadRows<kRowsPerThread>;
  constexpr std::uint32_t kTileRows = kRowsPerThread * kBlockThreads;
  __shared__ TilePlaces<kRowsPerThread> places;
  std::uint32_t const turn = blockIdx.x / task.n_tiles;
  std::uint32_t const tile = blockIdx.x % task.n_tiles;
  std::uint32_t const node = FindStretch(static_cast<std::uint32_t>(task.splits.size()), tile,
                                         [&](std::uint32_t i) { return task.splits.data()[i].first_tile; });
  NodeSplit const split = task.splits.data()[node];
  std::uint32_t const n_own = task.plan.NumTiles(split.rows.count);
  if (tile - split.first_tile >= n_own) return;
  std::uint64_t const skipped = (std::uint64_t{turn} * n_own + tile - split.first_tile) * kTileRows;
  if (skipped >= split.rows.count) return;
  int const lane = static_cast<int>(threadIdx.x % 32);
  int const warp = static_cast<int>(threadIdx.x / 32);
  Rows own;
  std::uint32_t const left_over = split.rows.count - static_cast<std::uint32_t>(skipped);
  own.n_rows = min(kTileRows, left_over);
  std::uint32_t const first = split.rows.descends != 0 ? left_over - own.n_rows : static_cast<std::uint32_t>(skipped);
  own.Load(split.rows.buffer < 0 ? nullptr : task.rows.Of(split.rows.buffer) + split.rows.begin, first);
  std::uint32_t codes[kRowsPerThread];
  own.LoadCodes(task.codes, split.place, codes);
#pragma unroll
  for (int step = 0; step < kRowsPerThread; ++step) {
    bool const is_left = Rows::PlaceOf(step) < own.n_rows && GoesLeft(split, codes[step], task.category_bits);
    own.lefts[step] = __ballot_sync(kAllLanes, is_left);
    if (lane == 0) places.before[step * kWarps + warp] = static_cast<std::uint32_t>(__popc(own.lefts[step]));
  }
  __syncthreads();
  if (warp == 0) ReservePlaces(&places, own.n_rows, task.n_left + 2 * node);
  __syncthreads();
  own.Put(places, split.rows.count, task.rows.Of(split.rows.NextBuffer()) + split.rows.begin);
}

}  // namespace

void RowBuffers::Reset(CudaContext const& cuda, Span<std::int32_t> leaf_of_row) {
  first_ = reinterpret_cast<std::uint32_t*>(leaf_of_row.data());
  second_.Reserve(cuda, leaf_of_row.size());
}

void SplitNodes(CudaContext const& cuda, MoveTask const& task) {
  static_assert(MovePlan::kSmallTile % kBlockThreads == 0 && MovePlan::kLargeTile % kBlockThreads == 0);
  auto* const kernel = task.plan.tile_rows == MovePlan::kSmallTile
                           ? SplitNodesKernel<MovePlan::kSmallTile / kBlockThreads>
                           : SplitNodesKernel<MovePlan::kLargeTile / kBlockThreads>;
  Launch(cuda, task.n_tiles * task.plan.n_turns, kBlockThreads, kernel, task);
}

}  // namespace kauri::cuda
