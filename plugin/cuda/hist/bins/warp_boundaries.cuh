/// \file The boundaries of data/sketch/rank_cuts.h on the device, for a warp whose lanes all make the same calls
/// (warp_search.cuh).
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/hist/bins/column_sorter.h"
#include "cuda/hist/bins/warp_search.cuh"
#include "data/sketch/weighted_keys.h"

namespace kauri::cuda {

/// The first n_keys of sorted keys, those that are numbers.
class WarpBoundaries {
 public:
  __device__ WarpBoundaries(SortedKeys const& sorted, std::size_t n_keys) : sorted_(sorted), n_keys_(n_keys) {}

  __device__ std::size_t End() const { return n_keys_; }
  __device__ float Value(std::size_t boundary) const { return FromKey(sorted_.keys[boundary]); }
  __device__ double Rank(std::size_t boundary) const {
    return sorted_.below == nullptr ? static_cast<double>(boundary) : static_cast<double>(sorted_.below[boundary]);
  }
  __device__ std::size_t Next(std::size_t boundary) const {
    auto const* const here = sorted_.keys + boundary;
    auto const key = *here;
    return boundary +
           WarpSearch::RunLength(n_keys_ - boundary, [&](std::size_t distance) { return here[distance] != key; });
  }
  __device__ std::size_t LastUpTo(double rank) const {
    auto const at = sorted_.below == nullptr ? min(static_cast<std::size_t>(rank), n_keys_ - 1) : LastAtRank(rank);
    auto const* const here = sorted_.keys + at;
    auto const key = *here;
    auto const before = [&](std::size_t distance) { return *(here - distance) != key; };
    return at + 1 - WarpSearch::RunLength(at + 1, before);
  }

 private:
  /// The last key that has no more than `rank` below it.
  __device__ std::size_t LastAtRank(double rank) const {
    auto const is_beyond = [&](std::size_t at) { return static_cast<double>(sorted_.below[at]) > rank; };
    return WarpSearch::FindFirst(1, n_keys_, is_beyond) - 1;
  }

  SortedKeys sorted_;
  std::size_t n_keys_;
};

}  // namespace kauri::cuda
