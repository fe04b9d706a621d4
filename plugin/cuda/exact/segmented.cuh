/// \file Segmented block scans over a tile, and warp scans over the pieces of a segment.
#pragma once

#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_scan.cuh>

#include "cuda/exact/exact_types.h"

namespace kauri::cuda {

/// The segment that holds `index`: the last one that begins at or before it. Empty segments are skipped.
__device__ __forceinline__ std::int64_t FindSegment(std::int64_t const* begin, std::int64_t low, std::int64_t high,
                                                    std::int64_t index) {
  // begin[low] <= index < begin[high]
  while (high - low > 1) {
    std::int64_t const middle = (low + high) / 2;
    if (begin[middle] <= index) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Where a block works: its tile and the segments that the tile touches.
struct TileRange {
  std::int64_t tile;
  std::int64_t begin;
  std::int64_t end;
  std::int64_t first_segment;
  std::int64_t last_segment;
};

/// Called by every thread; costs two binary searches by the first warp's first two lanes.
__device__ __forceinline__ TileRange FindTile(SegmentTable const& table, std::int64_t tile, std::int64_t n_entries,
                                              std::int64_t (&shared)[2]) {
  TileRange range;
  range.tile = tile;
  range.begin = tile * kTileEntries;
  range.end = range.begin + kTileEntries < n_entries ? range.begin + kTileEntries : n_entries;
  if (threadIdx.x < 2) {
    std::int64_t const index = threadIdx.x == 0 ? range.begin : range.end - 1;
    shared[threadIdx.x] = FindSegment(table.begin, 0, table.NumSegments(), index);
  }
  __syncthreads();
  range.first_segment = shared[0];
  range.last_segment = shared[1];
  return range;
}

/// Walks a thread's consecutive entries and knows the segment of each.
class SegmentWalker {
 public:
  __device__ SegmentWalker(SegmentTable const& table, TileRange const& range, std::int64_t index)
      : begin_(table.begin), segment_(FindSegment(table.begin, range.first_segment, range.last_segment + 1, index)) {
    Load();
  }
  /// To `index`, which is the next one. True when it is the first entry of another segment.
  __device__ bool MoveTo(std::int64_t index) {
    if (index < segment_end_) return false;
    do {
      ++segment_;
    } while (begin_[segment_ + 1] <= index);
    Load();
    return true;
  }
  __device__ std::int64_t Segment() const { return segment_; }
  __device__ std::int64_t SegmentBegin() const { return segment_begin_; }
  __device__ std::int64_t SegmentEnd() const { return segment_end_; }

 private:
  __device__ void Load() {
    segment_begin_ = begin_[segment_];
    segment_end_ = begin_[segment_ + 1];
  }
  std::int64_t const* begin_;
  std::int64_t segment_;
  std::int64_t segment_begin_;
  std::int64_t segment_end_;
};

/// A running value and whether a segment began within what it covers.
template <typename T>
struct Segmented {
  T value;
  bool restarted;
};

/// The scan operator of the paper's equation 6: the right operand forgets the left one when a segment began in it.
template <typename T, typename Combine>
struct SegmentedOp {
  Combine combine;
  __device__ Segmented<T> operator()(Segmented<T> const& a, Segmented<T> const& b) const {
    if (b.restarted) return b;
    return {combine(a.value, b.value), a.restarted};
  }
};

struct AddSums {
  __device__ FixedSum operator()(FixedSum a, FixedSum b) const { return a + b; }
  __device__ std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a + b; }
};

struct KeepBetter {
  __device__ SegmentCandidate operator()(SegmentCandidate const& a, SegmentCandidate const& b) const {
    return IsBetterInSegment(b, a) ? b : a;
  }
};

}  // namespace kauri::cuda
