/// \file Counter-based random numbers: a pure function of (seed, stream, counter), so the same on every thread and
/// device.
///
/// SplitMix64's finaliser (Steele, Lea & Flood 2014, "Fast splittable pseudorandom number generators") applied to a
/// mixed key.
///
/// RandomNormal has normal random numbers by counter, the same on every host and device.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/math.h"
#include "kauri/host_device.h"

namespace kauri {

KAURI_HD std::uint64_t MixBits(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15ULL;
  value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27U)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31U);
}

/// Returns a key for an independent stream, e.g. (seed, purpose, iteration).
KAURI_HD std::uint64_t CombineKeys(std::uint64_t key, std::uint64_t value) { return MixBits(key ^ MixBits(value)); }

KAURI_HD std::uint64_t RandomBits(std::uint64_t key, std::uint64_t counter) {
  return MixBits(key + counter * 0xD1342543DE82EF95ULL);
}

/// Returns a uniform number in [0, 1), 53 bits.
KAURI_HD double RandomUniform(std::uint64_t key, std::uint64_t counter) {
  return static_cast<double>(RandomBits(key, counter) >> 11U) * 0x1.0p-53;
}

/// Returns a uniform number in [0, bound); the bias of the multiply-shift is below bound / 2^32.
KAURI_HD std::uint32_t RandomBelow(std::uint64_t key, std::uint64_t counter, std::uint32_t bound) {
  return static_cast<std::uint32_t>(((RandomBits(key, counter) >> 32U) * bound) >> 32U);
}

/// Returns a normal number of mean 0 and standard deviation 1, by Marsaglia's polar method (Marsaglia & Bray 1964, "A
/// convenient method for generating normal variables"), which needs only a logarithm and a square root. The pairs that
/// it tries, 1.27 on average, come from a separate stream for each counter.
KAURI_HD double RandomNormal(std::uint64_t key, std::uint64_t counter) {
  std::uint64_t const stream = CombineKeys(key, counter);
  for (std::uint64_t at = 0;; at += 2) {
    double const x = 2.0 * RandomUniform(stream, at) - 1.0;
    double const y = 2.0 * RandomUniform(stream, at + 1) - 1.0;
    double const square = x * x + y * y;
    if (square > 0.0 && square < 1.0) return x * std::sqrt(-2.0 * Log(square) / square);
  }
}

}  // namespace kauri
