/// \file The work of one warp for one segment: prefix sums over its pieces, and the best of 32 lanes.
#pragma once

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

#include "cuda/common/launch.h"
#include "cuda/exact/entries/exact_types.h"

namespace kauri::cuda {

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
