/// \file A warp's tile with its segments, the scans and reductions of a warp, and its work for one segment: prefix sums
/// over the segment's pieces, and the best of 32 lanes.
#pragma once

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

#include "cuda/common/launch.h"
#include "cuda/exact/entries/exact_types.h"

namespace kauri::cuda {

constexpr unsigned kAllLanes = 0xFFFFFFFFU;

__device__ __forceinline__ int Lane() { return static_cast<int>(threadIdx.x % 32); }

/// Returns the last place in [low, high) whose `begin` is at most `index`, which must be in [begin[low], begin[high]).
/// Empty ranges are skipped.
template <typename T>
__device__ __forceinline__ std::uint32_t FindLast(T const* begin, std::uint32_t low, std::uint32_t high, T index) {
  while (high - low > 1) {
    std::uint32_t const middle = low + (high - low) / 2;
    if (begin[middle] <= index) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Returns the segment that holds `index`.
__device__ __forceinline__ std::uint32_t FindSegment(std::int64_t const* begin, std::uint32_t low, std::uint32_t high,
                                                     std::int64_t index) {
  return FindLast(begin, low, high, index);
}

/// A warp's tile and the segments that it touches. `begin` is past the entries if the warp has none.
struct WarpTile {
  std::int64_t tile;
  std::int64_t begin;
  std::int64_t end;
  std::uint32_t first_segment;
  std::uint32_t last_segment;  ///< or one after it, if the next tile begins with a new segment
};

__device__ __forceinline__ WarpTile TileAt(SegmentTable const& table, std::int64_t n_entries, std::int64_t place) {
  WarpTile tile;
  tile.tile = place;
  tile.begin = place * kTileEntries;
  tile.end = tile.begin + kTileEntries < n_entries ? tile.begin + kTileEntries : n_entries;
  bool const exists = tile.begin < n_entries;
  tile.first_segment = exists ? table.of_tile[place] : 0;
  tile.last_segment = exists ? table.of_tile[place + 1] : 0;
  return tile;
}

/// Returns the tile of this warp; each warp of the grid has one.
__device__ __forceinline__ WarpTile ThisTile(SegmentTable const& table, std::int64_t n_entries) {
  return TileAt(table, n_entries, static_cast<std::int64_t>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32);
}

/// Returns whether no entry of the tile belongs to an active node.
__device__ __forceinline__ bool IsDeadTile(SegmentTable const& table, WarpTile const& tile) {
  return table.IsDead(tile.first_segment) && tile.end <= table.begin[tile.first_segment + 1];
}

/// Follows a lane's entries at increasing indices. It looks up a segment only after leaving the previous one.
class SegmentCursor {
 public:
  __device__ SegmentCursor(SegmentTable const& table, WarpTile const& tile) : table_(table), tile_(tile) {}
  __device__ void MoveTo(std::int64_t index) {
    if (index < end_) return;
    segment_ = FindSegment(table_.begin, tile_.first_segment, tile_.last_segment + 1, index);
    begin_ = table_.begin[segment_];
    end_ = table_.begin[segment_ + 1];
  }
  __device__ std::uint32_t Segment() const { return segment_; }
  __device__ std::int64_t SegmentBegin() const { return begin_; }

 private:
  SegmentTable const& table_;
  WarpTile const& tile_;
  std::uint32_t segment_ = 0;
  std::int64_t begin_ = 0;
  std::int64_t end_ = -1;
};

__device__ __forceinline__ FixedSum ShuffleUp(FixedSum sum, int step) {
  return {__shfl_up_sync(kAllLanes, sum.gradient, static_cast<unsigned>(step)),
          __shfl_up_sync(kAllLanes, sum.hessian, static_cast<unsigned>(step))};
}

__device__ __forceinline__ FixedSum FromLane(FixedSum sum, int lane) {
  return {__shfl_sync(kAllLanes, sum.gradient, lane), __shfl_sync(kAllLanes, sum.hessian, lane)};
}

/// Returns the sum over this lane and the lanes before it.
__device__ __forceinline__ FixedSum InclusiveScan(FixedSum sum) {
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    FixedSum const other = ShuffleUp(sum, step);
    if (Lane() >= step) sum += other;
  }
  return sum;
}

/// Returns the sum over all lanes, in every lane.
__device__ __forceinline__ FixedSum WarpSum(FixedSum sum) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    sum += FixedSum{__shfl_xor_sync(kAllLanes, sum.gradient, step), __shfl_xor_sync(kAllLanes, sum.hessian, step)};
  }
  return sum;
}

/// Adds a sum atomically. Integer additions commute, so the result does not depend on their order.
__device__ __forceinline__ void AtomicAdd(FixedSum* to, FixedSum sum) {
  atomicAdd(reinterpret_cast<unsigned long long*>(&to->gradient), static_cast<unsigned long long>(sum.gradient));
  atomicAdd(reinterpret_cast<unsigned long long*>(&to->hessian), static_cast<unsigned long long>(sum.hessian));
}

struct Plus {
  __device__ FixedSum operator()(FixedSum a, FixedSum b) const { return a + b; }
  __device__ std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a + b; }
};

struct KeepBetter {
  __device__ SegmentCandidate operator()(SegmentCandidate const& a, SegmentCandidate const& b) const {
    return IsBetterInSegment(b, a) ? b : a;
  }
};

/// Returns the best of all lanes, in lane 0. Every lane takes part.
__device__ __forceinline__ SegmentCandidate WarpBest(SegmentCandidate candidate) {
  using Reduce = cub::WarpReduce<SegmentCandidate>;
  __shared__ typename Reduce::TempStorage temp[kWarpsPerBlock];
  return Reduce(temp[threadIdx.x / 32]).Reduce(candidate, KeepBetter());
}

/// Returns the best of all threads of the block, in thread 0. Every thread takes part.
template <int kThreads>
__device__ __forceinline__ SegmentCandidate BlockBest(SegmentCandidate candidate) {
  using Reduce = cub::BlockReduce<SegmentCandidate, kThreads>;
  __shared__ typename Reduce::TempStorage temp;
  return Reduce(temp).Reduce(candidate, KeepBetter());
}

struct KeepBetterSplit {
  __device__ SplitCandidate operator()(SplitCandidate const& a, SplitCandidate const& b) const {
    return IsBetter(b, a) ? b : a;
  }
};

__device__ __forceinline__ SplitCandidate WarpBest(SplitCandidate candidate) {
  using Reduce = cub::WarpReduce<SplitCandidate>;
  __shared__ typename Reduce::TempStorage temp[kWarpsPerBlock];
  return Reduce(temp[threadIdx.x / 32]).Reduce(candidate, KeepBetterSplit());
}

/// With at most this number of segments they are long and get a block each; otherwise they get a warp each.
constexpr std::int64_t kFewSegments = 1024;
constexpr int kLongSegmentThreads = 512;

/// Replaces pieces by the sums before them within the segment, with kThreads threads per segment. totals: [n_segments].
/// Dead segments are not touched. T is FixedSum or std::int64_t.
template <typename T, int kThreads>
__global__ void __launch_bounds__(kThreads) LongPiecePrefixKernel(SegmentTable table, T* pieces, T* totals) {
  using Scan = cub::BlockScan<T, kThreads>;
  __shared__ typename Scan::TempStorage temp;
  auto const segment = static_cast<std::uint32_t>(blockIdx.x);
  if (table.IsDead(segment)) return;
  std::int64_t const begin = table.begin[segment];
  std::int64_t const end = table.begin[segment + 1];
  T running = T();
  if (begin < end) {
    std::int64_t const last = (end - 1) / kTileEntries;
    for (std::int64_t base = begin / kTileEntries; base <= last; base += kThreads) {
      std::int64_t const tile = base + static_cast<int>(threadIdx.x);
      T const own = tile <= last ? pieces[tile + segment] : T();
      T before;
      T all;
      Scan(temp).ExclusiveScan(own, before, T(), Plus(), all);
      if (tile <= last) pieces[tile + segment] = Plus()(running, before);
      running = Plus()(running, all);
      __syncthreads();
    }
  }
  if (threadIdx.x == 0) totals[segment] = running;
}

/// Does the same as LongPiecePrefixKernel, with a warp per segment.
template <typename T>
__global__ void __launch_bounds__(kBlockThreads) PiecePrefixKernel(SegmentTable table, T* pieces, T* totals) {
  using Scan = cub::WarpScan<T>;
  __shared__ typename Scan::TempStorage temp[kWarpsPerBlock];
  std::int64_t const segment = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  int const lane = threadIdx.x % 32;
  if (segment >= table.NumSegments() || table.IsDead(static_cast<std::uint32_t>(segment))) return;
  std::int64_t const begin = table.begin[segment];
  std::int64_t const end = table.begin[segment + 1];
  T running = T();
  if (begin < end) {
    std::int64_t const last = (end - 1) / kTileEntries;
    for (std::int64_t base = begin / kTileEntries; base <= last; base += 32) {
      std::int64_t const tile = base + lane;
      T const own = tile <= last ? pieces[tile + segment] : T();
      T before;
      T all;
      Scan(temp[threadIdx.x / 32]).ExclusiveScan(own, before, T(), Plus(), all);
      if (tile <= last) pieces[tile + segment] = Plus()(running, before);
      running = Plus()(running, all);
      __syncwarp();
    }
  }
  if (lane == 0) totals[segment] = running;
}

template <typename T>
void PrefixPieces(CudaContext const& ctx, SegmentTable const& table, T* pieces, T* totals) {
  auto const n_segments = table.NumSegments();
  if (n_segments <= kFewSegments) {
    Launch(ctx, static_cast<unsigned>(n_segments), kLongSegmentThreads, LongPiecePrefixKernel<T, kLongSegmentThreads>,
           table, pieces, totals);
  } else {
    Launch(ctx, GridFor(n_segments * 32, kBlockThreads), kBlockThreads, PiecePrefixKernel<T>, table, pieces, totals);
  }
}

}  // namespace kauri::cuda
