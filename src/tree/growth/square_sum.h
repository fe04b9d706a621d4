/// \file A sum of squares of fixed-point gradients, for the noise of random_strength (noise_deviation.h). It consists
/// of integers, so it does not depend on the order of the rows.
#pragma once

#include <cstdint>

#include "kauri/host_device.h"

namespace kauri {

/// Adds the high and low bits of the squares separately. A square is below 2^60, so both sums of 2^32 rows are below
/// 2^62.
struct SquareSum {
  static constexpr unsigned kLowBits = 30;

  std::int64_t high = 0;
  std::int64_t low = 0;

  /// Adds the square of a gradient, whose magnitude is below 2^30.
  KAURI_HD void Add(std::int32_t gradient) {
    std::int64_t const square = static_cast<std::int64_t>(gradient) * gradient;
    high += square >> kLowBits;
    low += square & ((std::int64_t{1} << kLowBits) - 1);
  }
  KAURI_HD SquareSum& operator+=(SquareSum other) {
    high += other.high;
    low += other.low;
    return *this;
  }
  /// Returns the sum in squares of the gradients' unit.
  double Value() const {
    return static_cast<double>(high) * static_cast<double>(std::int64_t{1} << kLowBits) + static_cast<double>(low);
  }
};

}  // namespace kauri
