/// \file The boundaries of data/sketch/rank_cuts.h in a column whose keys may have zero weight, for a warp whose lanes
/// all make the same calls (bins/warp_search.cuh).
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/hist/bins/warp_search.cuh"
#include "data/sketch/weighted_keys.h"

namespace kauri::cuda {

/// A boundary is the first key of a value some of whose keys have weight. Ranks may have wrapped around: only their
/// differences within a column are meaningful.
class OrderedBoundaries {
 public:
  /// keys: [n_values], ascending. ranks: [n_values + 1], the weight before each key, starting at any number.
  __device__ OrderedBoundaries(std::uint32_t const* keys, std::uint64_t const* ranks, std::size_t n_values) {
    auto const none = ranks[0];
    auto const all = ranks[n_values];
    if (none == all) return;
    auto const first = WarpSearch::FindFirst(0, n_values, [&](std::size_t at) { return ranks[at + 1] != none; });
    auto const last = WarpSearch::FindFirst(first, n_values, [&](std::size_t at) { return ranks[at + 1] == all; });
    keys_ = keys + first;
    ranks_ = ranks + first;
    n_keys_ = last + 1 - first;
  }

  __device__ std::size_t End() const { return n_keys_; }
  __device__ float Value(std::size_t boundary) const { return FromKey(keys_[boundary]); }
  __device__ double Rank(std::size_t boundary) const {
    return static_cast<double>(static_cast<std::int64_t>(ranks_[boundary] - ranks_[0]));
  }
  __device__ std::size_t Next(std::size_t boundary) const {
    auto const* const here = keys_ + boundary;
    auto const key = *here;
    auto const is_other = [&](std::size_t distance) { return here[distance] != key; };
    auto const end = boundary + WarpSearch::RunLength(n_keys_ - boundary, is_other);
    if (end == n_keys_ || ranks_[end + 1] != ranks_[end]) return end;
    auto const weighs = [&](std::size_t at) { return ranks_[at + 1] != ranks_[end]; };
    return FirstAlike(WarpSearch::FindFirst(end, n_keys_, weighs));
  }
  __device__ std::size_t LastUpTo(double rank) const {
    auto const is_beyond = [&](std::size_t at) { return Rank(at) > rank; };
    return FirstAlike(WarpSearch::FindFirst(1, n_keys_, is_beyond) - 1);
  }

 private:
  /// Returns the start of the run of keys that equal the key at `at`.
  __device__ std::size_t FirstAlike(std::size_t at) const {
    auto const* const here = keys_ + at;
    auto const key = *here;
    return at + 1 - WarpSearch::RunLength(at + 1, [&](std::size_t distance) { return *(here - distance) != key; });
  }

  std::uint32_t const* keys_ = nullptr;  ///< from the first to the last key with weight
  std::uint64_t const* ranks_ = nullptr;
  std::size_t n_keys_ = 0;
};

}  // namespace kauri::cuda
