/// \file Which of several stretches, laid end to end, an element is in; and which elements a block has.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace kauri::cuda {

/// The last of n > 0 stretches that does not begin behind `at`; first(i) ascends. Of those that are empty, and of the
/// one behind them, which begin at the same element, the last.
template <typename First>
__device__ __forceinline__ std::uint32_t FindStretch(std::uint32_t n, std::uint32_t at, First&& first) {
  std::uint32_t found = 0;
  std::uint32_t length = n;
  while (length > 1) {
    std::uint32_t const half = length / 2;
    if (first(found + half) <= at) found += half;
    length -= half;
  }
  return found;
}

struct BlockRange {
  std::uint32_t begin;
  std::uint32_t end;
};

/// The elements of n that this block has where all have as many.
__device__ __forceinline__ BlockRange RangeOfBlock(std::uint32_t n) {
  auto const all = static_cast<unsigned long long>(n);
  return {static_cast<std::uint32_t>(all * blockIdx.x / gridDim.x),
          static_cast<std::uint32_t>(all * (blockIdx.x + 1) / gridDim.x)};
}

}  // namespace kauri::cuda
