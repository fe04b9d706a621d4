/// \file The boundaries of data/sketch/rank_cuts.h on the device, for a warp whose lanes all make the same calls
/// (warp_search.cuh).
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/hist/bins/column_sorter.h"
#include "cuda/hist/bins/key_looks.cuh"
#include "cuda/hist/bins/warp_search.cuh"
#include "data/sketch/weighted_keys.h"

namespace kauri::cuda {

/// Boundaries of the first n_keys sorted keys, which are the keys of numbers.
class WarpBoundaries {
 public:
  __device__ WarpBoundaries(SortedKeys const& sorted, std::size_t n_keys) : sorted_(sorted), n_keys_(n_keys) {}

  __device__ std::size_t End() const { return n_keys_; }
  __device__ float Value(std::size_t boundary) const { return FromKey(sorted_.keys[boundary]); }
  __device__ double Rank(std::size_t boundary) const {
    return sorted_.below == nullptr ? static_cast<double>(boundary) : static_cast<double>(sorted_.below[boundary]);
  }
  __device__ std::size_t Next(std::size_t boundary) const {
    if (keys_differ_) {
      auto const next = window_.Next(sorted_.keys, n_keys_, boundary);
      if (next > 0) return next;
    }
    auto const* const here = sorted_.keys + boundary;
    auto const key = *here;
    auto const length = WarpSearch::RunLength(n_keys_ - boundary, [&](std::size_t far) { return here[far] != key; });
    keys_differ_ = length < KeyWindow::kKeys;
    return boundary + length;
  }
  __device__ std::size_t LastUpTo(double rank) const {
    if (sorted_.below != nullptr) return FirstAlike(LastAtRank(rank));
    auto const at = min(static_cast<std::size_t>(rank), n_keys_ - 1);
    if (ahead_.KnowsBoundary(sorted_.keys, n_keys_, at, rank)) return at;
    auto const first = FirstAlike(at);
    ahead_.Note(first == at);
    return first;
  }

 private:
  /// Returns the last key with no more than `rank` below it.
  __device__ std::size_t LastAtRank(double rank) const {
    auto const is_beyond = [&](std::size_t at) { return static_cast<double>(sorted_.below[at]) > rank; };
    return WarpSearch::FindFirst(1, n_keys_, is_beyond) - 1;
  }

  /// Returns the start of the run of keys that equal the key at `at`.
  __device__ std::size_t FirstAlike(std::size_t at) const {
    auto const* const here = sorted_.keys + at;
    auto const key = *here;
    return at + 1 - WarpSearch::RunLength(at + 1, [&](std::size_t far) { return *(here - far) != key; });
  }

  SortedKeys sorted_;
  std::size_t n_keys_;
  // Caches; the results do not depend on them.
  mutable KeyWindow window_;
  mutable StepsAhead ahead_;
  mutable bool keys_differ_ = true;  ///< the last run of equal keys was shorter than a window
};

}  // namespace kauri::cuda
