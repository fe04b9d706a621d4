/// \file Compares two splits at a feature by a total order, the same as in VectorSplitFinder.
#pragma once

#include <cstdint>

namespace kauri::cuda {

/// Best candidate that a lane, and then a warp, found in one feature.
struct OrderedSplit {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  /// All present rows go right. It loses against every equal candidate.
  static constexpr std::uint32_t kAlone = kNone - 1;
  static constexpr std::uint32_t kDown = 0x80000000U;

  double loss_change = 0.0;
  std::uint32_t order = kNone;  ///< the lowest wins among equal loss changes

  /// Order of a candidate whose missing values go right and whose last left bin is `bin`: the lowest threshold first.
  __device__ static std::uint32_t Up(std::uint32_t bin) { return bin; }
  /// Order of a candidate whose missing values go left and whose first right bin is `bin`: the highest threshold first.
  __device__ static std::uint32_t Down(std::uint32_t bin) { return kAlone - 1 - bin; }
  __device__ static std::uint32_t BinOfDown(std::uint32_t order) { return kAlone - 1 - order; }

  __device__ bool IsThere() const { return order != kNone; }
  __device__ bool IsDown() const { return order >= kDown; }
  __device__ bool IsBetter(OrderedSplit const& other) const {
    return loss_change > other.loss_change || (loss_change == other.loss_change && order < other.order);
  }
  /// Keeps the better one; a loss change must be above 0.
  __device__ void Keep(OrderedSplit const& other) {
    if (other.loss_change > 0.0 && other.IsBetter(*this)) *this = other;
  }
};

__device__ __forceinline__ OrderedSplit BestOfWarp(OrderedSplit best) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    OrderedSplit const other{__shfl_xor_sync(0xFFFFFFFFU, best.loss_change, step),
                             __shfl_xor_sync(0xFFFFFFFFU, best.order, step)};
    if (other.IsBetter(best)) best = other;
  }
  return best;
}

}  // namespace kauri::cuda
