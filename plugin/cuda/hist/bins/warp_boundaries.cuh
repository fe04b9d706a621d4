/// \file The boundaries of data/sketch/rank_cuts.h on the device, for a warp whose lanes all make the same calls: its
/// 32 lanes look at 32 keys at a time. What is looked for is close by in columns of many values, which takes one look;
/// elsewhere each look leaves a 32nd of what there was, five of them for 10 M keys.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/hist/bins/column_sorter.h"
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
    auto const key = sorted_.keys[boundary];
    auto const is_next = [&](std::size_t at) { return sorted_.keys[at] != key; };
    auto const near = min(n_keys_, boundary + kLanes);
    auto const next = FindFirst(boundary, near, is_next);
    return next < near ? next : FindFirst(near, n_keys_, is_next);
  }
  __device__ std::size_t LastUpTo(double rank) const {
    auto const at = sorted_.below == nullptr ? min(static_cast<std::size_t>(rank), n_keys_ - 1) : LastAtRank(rank);
    auto const key = sorted_.keys[at];
    auto const is_run = [&](std::size_t place) { return sorted_.keys[place] == key; };
    auto const near = at < kLanes ? 0 : at - (kLanes - 1);
    auto const first = FindFirst(near, at, is_run);
    return first > near ? first : FindFirst(0, near, is_run);
  }

 private:
  static constexpr std::size_t kLanes = 32;

  /// The last key that has no more than `rank` below it.
  __device__ std::size_t LastAtRank(double rank) const {
    auto const is_beyond = [&](std::size_t at) { return static_cast<double>(sorted_.below[at]) > rank; };
    return FindFirst(1, n_keys_, is_beyond) - 1;
  }

  /// The first of [first, last) where is_true holds, which holds for all after it as well; else last. first <= last.
  template <typename IsTrue>
  __device__ static std::size_t FindFirst(std::size_t first, std::size_t last, IsTrue const& is_true) {
    std::size_t const lane = threadIdx.x % kLanes;
    while (first < last) {
      auto const step = (last - first + kLanes - 1) / kLanes;
      auto const at = first + (lane + 1) * step - 1;
      auto const found = __ballot_sync(0xFFFFFFFFU, at >= last || is_true(at));
      if (found == 0) return last;
      auto const lanes_before = static_cast<std::size_t>(__ffs(static_cast<int>(found)) - 1);
      last = min(last, first + (lanes_before + 1) * step - 1);
      first += lanes_before * step;
    }
    return first;
  }

  SortedKeys sorted_;
  std::size_t n_keys_;
};

}  // namespace kauri::cuda
