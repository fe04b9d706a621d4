/// \file Which of several stretches, laid end to end, an element is in.
#pragma once

#include <cstdint>

namespace kauri::cuda {

/// The last of n > 0 stretches whose first_tile is not above `tile`. Empty ones share the first tile of the next.
template <typename Stretch>
__device__ __forceinline__ std::uint32_t FindStretch(Stretch const* stretches, std::uint32_t n, std::uint32_t tile) {
  std::uint32_t first = 0;
  std::uint32_t length = n;
  while (length > 1) {
    std::uint32_t const half = length / 2;
    if (stretches[first + half].first_tile <= tile) first += half;
    length -= half;
  }
  return first;
}

}  // namespace kauri::cuda
