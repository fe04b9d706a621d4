/// \file Gradient pairs as limbs of 16 bits, which shared memory adds faster than 64-bit words (histogram/add_rows.h).
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kauri/gradient.h"

namespace kauri::cuda {

/// Number of rows whose 16-bit limbs add up to 32-bit words.
constexpr std::uint32_t kRowsPerFlush = 65536;
/// Limbs of a pair: two for each of its numbers.
constexpr std::uint32_t kLimbs = 4;

struct PairLimbs {
  std::uint32_t words[kLimbs];

  __device__ explicit PairLimbs(FixedPair pair)
      : words{static_cast<std::uint32_t>(pair.gradient) & 0xFFFFU, static_cast<std::uint32_t>(pair.gradient >> 16),
              static_cast<std::uint32_t>(pair.hessian) & 0xFFFFU, static_cast<std::uint32_t>(pair.hessian >> 16)} {}
};

/// Returns the sum of the pairs whose limbs add up to these.
__device__ __forceinline__ FixedSum JoinedLimbs(std::uint32_t const (&limbs)[kLimbs]) {
  auto const joined = [](std::uint32_t low, std::uint32_t high) {
    return static_cast<std::int64_t>(static_cast<std::int32_t>(high)) * 65536 + static_cast<std::int64_t>(low);
  };
  return {joined(limbs[0], limbs[1]), joined(limbs[2], limbs[3])};
}

}  // namespace kauri::cuda
