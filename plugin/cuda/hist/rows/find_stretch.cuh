/// \file Finds which of several stretches, laid end to end, holds an element, and which elements a block handles.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace kauri::cuda {

/// Returns the last of n > 0 stretches that begins at or before `at`; first(i) ascends. If empty stretches begin at the
/// same element as the one behind them, returns the last of these.
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

/// Returns the elements of n that this block handles if all blocks get equal ranges.
__device__ __forceinline__ BlockRange RangeOfBlock(std::uint32_t n) {
  auto const all = static_cast<unsigned long long>(n);
  return {static_cast<std::uint32_t>(all * blockIdx.x / gridDim.x),
          static_cast<std::uint32_t>(all * (blockIdx.x + 1) / gridDim.x)};
}

}  // namespace kauri::cuda
