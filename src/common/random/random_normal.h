/// \file Normal random numbers by counter, the same on every host and device.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/math.h"
#include "common/random/random.h"
#include "kauri/host_device.h"

namespace kauri {

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
