/// \file Further elementary functions with the same bits on every host, for code that no device runs.
///
/// The C library's pow, log1p and cos differ in their last bits between systems. These functions use only IEEE float64
/// operations and the functions of common/math.h.
#pragma once

#include <cstdint>

#include "common/math.h"

namespace kauri {

/// Returns base^exponent by repeated squaring; 1 for an exponent of 0. The relative error is below exponent * 2^-53.
inline double IntegerPower(double base, std::int32_t exponent) {
  double power = 1.0;
  for (auto left = exponent < 0 ? -static_cast<std::int64_t>(exponent) : exponent; left > 0; left /= 2) {
    if (left % 2 != 0) power *= base;
    base *= base;
  }
  return exponent < 0 ? 1.0 / power : power;
}

/// Returns base^exponent of a base that is not negative, with a relative error of about 1e-15 times the logarithm of
/// the result and at least 2e-14. 0^0 is 1.
inline double RealPower(double base, double exponent) {
  if (exponent == 0.0) return 1.0;
  return base == 0.0 ? (exponent > 0.0 ? 0.0 : detail::Infinity()) : Exp(exponent * Log(base));
}

/// Returns ln(1 + x) for x > -1, with a relative error of about 2e-15 also where x is near 0: the rounding of 1 + x is
/// in the logarithm and in the quotient, and cancels.
inline double LogOfOnePlus(double x) {
  double const sum = 1.0 + x;
  if (sum == x) return Log(x);  // large numbers and infinity, whose quotient is NaN
  return sum == 1.0 ? x : Log(sum) * (x / (sum - 1.0));
}

/// Returns cos x for 0 <= x <= pi with an absolute error below 3e-15, by Taylor's series of 1 - 2 sin^2(x / 2).
inline double CosineToPi(double x) {
  double const half = 0.5 * x;
  double const square = half * half;
  double sine = 1.0;
  for (std::int32_t k = 10; k >= 1; --k) sine = 1.0 - sine * square / (2.0 * k * (2.0 * k + 1.0));
  sine *= half;
  return 1.0 - 2.0 * sine * sine;
}

}  // namespace kauri
