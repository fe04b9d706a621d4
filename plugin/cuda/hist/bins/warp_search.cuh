/// \file Searches by a warp whose lanes all make the same calls.
///
/// A search waits for memory, so each look reads 128 keys at once. The first look of a search along a run of equal keys
/// is dense at the beginning and has eight keys per octave beyond. In columns of many values it is the only look; a run
/// of 40,000 keys takes two more. Each look of a search in all keys reduces the range to a 128th: four looks for 10 M.
#pragma once

#include <cstddef>

namespace kauri::cuda {

class WarpSearch {
 public:
  /// Returns the first of [0, limit) for which is_other holds, otherwise limit. is_other also holds for all after the
  /// first.
  template <typename IsOther>
  __device__ static std::size_t RunLength(std::size_t limit, IsOther const& is_other) {
    auto const found = Look([&](unsigned number) {
      auto const distance = DistanceOf(number);
      return distance >= limit || is_other(distance);
    });
    auto const first = found == 0 ? 0 : DistanceOf(found - 1) + 1;
    return FindFirst(first, found == kKeys ? limit : min(limit, DistanceOf(found)), is_other);
  }

  /// Returns the first of [first, last) for which is_true holds, otherwise last. is_true also holds for all after the
  /// first. first <= last.
  template <typename IsTrue>
  __device__ static std::size_t FindFirst(std::size_t first, std::size_t last, IsTrue const& is_true) {
    while (first < last) {
      auto const step = (last - first + kKeys - 1) / kKeys;
      auto const found = Look([&](unsigned number) {
        auto const at = first + (number + 1) * step - 1;
        return at >= last || is_true(at);
      });
      last = min(last, first + (found + 1) * step - 1);
      first += found * step;
    }
    return first;
  }

 private:
  static constexpr unsigned kLanes = 32;
  static constexpr unsigned kKeysPerLane = 4;
  static constexpr unsigned kKeys = kLanes * kKeysPerLane;  ///< keys per look
  static constexpr unsigned kPerOctave = 8;

  /// Returns the first of a look's numbers 0, 1, .. for which is_true holds, otherwise kKeys. is_true also holds for
  /// all after the first.
  template <typename IsTrue>
  __device__ static unsigned Look(IsTrue const& is_true) {
    bool holds[kKeysPerLane];
#pragma unroll
    for (unsigned i = 0; i < kKeysPerLane; ++i) holds[i] = is_true(i * kLanes + threadIdx.x % kLanes);
    unsigned n_false = 0;
#pragma unroll
    for (unsigned i = 0; i < kKeysPerLane; ++i) n_false += __popc(__ballot_sync(0xFFFFFFFFU, !holds[i]));
    return n_false;
  }

  /// Returns the distance of a look's key from the beginning: 0, 1, .. 15, 16, 18, .. 30, 32, 36, ..
  __device__ static std::size_t DistanceOf(unsigned number) {
    auto const octave = number / kPerOctave;
    if (octave == 0) return number;
    return static_cast<std::size_t>(kPerOctave + number % kPerOctave) << (octave - 1);
  }
};

}  // namespace kauri::cuda
