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

/// Nothing in the tile belongs to an active node. The same for every thread of the block.
__device__ __forceinline__ bool IsDeadTile(SegmentTable const& table, TileRange const& range) {
  return range.first_segment == range.last_segment && table.NodeOf(range.first_segment) == table.n_nodes;
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

/// Follows a thread's entries at ever larger indices and looks a segment up only when it has left the last one.
class SegmentCursor {
 public:
  __device__ SegmentCursor(SegmentTable const& table, TileRange const& range) : table_(table), range_(range) {}
  __device__ void MoveTo(std::int64_t index) {
    if (index < end_) return;
    segment_ = FindSegment(table_.begin, range_.first_segment, range_.last_segment + 1, index);
    begin_ = table_.begin[segment_];
    end_ = table_.begin[segment_ + 1];
    node_ = table_.NodeOf(segment_);
  }
  __device__ std::int64_t Segment() const { return segment_; }
  __device__ std::int64_t SegmentBegin() const { return begin_; }
  __device__ std::int32_t Node() const { return node_; }
  __device__ bool IsDead() const { return node_ == table_.n_nodes; }

 private:
  SegmentTable const& table_;
  TileRange const& range_;
  std::int64_t segment_ = 0;
  std::int64_t begin_ = 0;
  std::int64_t end_ = -1;
  std::int32_t node_ = 0;
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
