/// \file Pairs in limbs of 16 bits, which shared memory adds up faster than words of 64 (histogram/add_rows.h).
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kauri/gradient.h"

namespace kauri::cuda {

/// Limbs of 16 bits of so many rows fit into words of 32.
constexpr std::uint32_t kRowsPerFlush = 65536;
/// Of a pair: two of each of its numbers.
constexpr std::uint32_t kLimbs = 4;

struct PairLimbs {
  std::uint32_t words[kLimbs];

  __device__ explicit PairLimbs(FixedPair pair)
      : words{static_cast<std::uint32_t>(pair.gradient) & 0xFFFFU, static_cast<std::uint32_t>(pair.gradient >> 16),
              static_cast<std::uint32_t>(pair.hessian) & 0xFFFFU, static_cast<std::uint32_t>(pair.hessian >> 16)} {}
};

/// The sum of pairs whose limbs add up to these.
__device__ __forceinline__ FixedSum JoinedLimbs(std::uint32_t const (&limbs)[kLimbs]) {
  auto const joined = [](std::uint32_t low, std::uint32_t high) {
    return static_cast<std::int64_t>(static_cast<std::int32_t>(high)) * 65536 + static_cast<std::int64_t>(low);
  };
  return {joined(limbs[0], limbs[1]), joined(limbs[2], limbs[3])};
}

}  // namespace kauri::cuda
