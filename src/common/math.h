/// \file Elementary functions with the same bits on every host and device.
///
/// libm, its vector versions and CUDA's math library differ in the last bits; a model that used them would not be
/// reproducible. These functions use only IEEE float64 additions, multiplications and divisions
/// (contraction is off on both sides) and round once to float32. Error against the true value before that rounding:
/// below 2e-14 relative for Exp and 1e-15 for Log, so the float32 result is correctly rounded except for about one
/// argument in ten million. Special cases are selects at the end, not early returns, so that loops over these functions
/// become vector code.
///
/// DescendingFloatKey makes integers that order floats, for sorting with the same result on every host and device.
#pragma once

#include <cstdint>
#include <cstring>

#include "kauri/host_device.h"

namespace kauri {

namespace detail {

KAURI_HD double BitsToDouble(std::uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}
KAURI_HD std::uint64_t DoubleToBits(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}
KAURI_HD double Infinity() { return BitsToDouble(0x7FF0000000000000ULL); }

}  // namespace detail

/// e^x. x = k ln2 + r with |r| <= ln2 / 2; e^r by its Taylor polynomial of degree 11 (remainder < 9e-15 relative).
/// 0 below -708 (results under 1e-307) and infinite above 709 (over 8e307); a NaN comes back as it is.
KAURI_HD double Exp(double x) {
  double clamped = x < -708.0 ? -708.0 : x;
  clamped = clamped > 709.0 ? 709.0 : clamped;
  double const shifted = clamped * 1.4426950408889634 + 6755399441055744.0;  // 1.5 * 2^52: an integer in the low bits
  double const k = shifted - 6755399441055744.0;
  double const r =
      // ln2 is split into a part of 32 bits and the rest
      (clamped - k * 0.69314718036912382) - k * 1.9082149292705877e-10;
  double p = 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  // The low bits of `shifted` are k; the shift pushes all other bits out.
  double const power = detail::BitsToDouble((detail::DoubleToBits(shifted) + 1023U) << 52U);
  double result = p * power;
  result = x > 709.0 ? detail::Infinity() : result;
  result = x < -708.0 ? 0.0 : result;
  return x == x ? result : x;
}

/// ln x. x = 2^k m with m in [sqrt(1/2), sqrt(2)); ln m = 2 artanh((m - 1) / (m + 1)) by its series to degree 19.
/// Negative: NaN; 0: -infinity; infinity and NaN come back (the NaN as the canonical one).
KAURI_HD double Log(double x) {
  bool const subnormal = x < 2.2250738585072014e-308;
  std::uint64_t const bits = detail::DoubleToBits(subnormal ? x * 18014398509481984.0 : x);
  // A small integer or-ed into the low bits of 2^52 is that integer plus 2^52.
  double const biased = detail::BitsToDouble((bits >> 52U) | 0x4330000000000000ULL) - 4503599627370496.0;
  double const half_open = detail::BitsToDouble((bits & 0x000FFFFFFFFFFFFFULL) | 0x3FF0000000000000ULL);
  bool const upper = half_open > 1.4142135623730951;
  double const m = upper ? half_open * 0.5 : half_open;
  double const k = biased - (subnormal ? 1077.0 : 1023.0) + (upper ? 1.0 : 0.0);
  double const s = (m - 1.0) / (m + 1.0);
  double const z = s * s;
  double p = 1.0 / 19.0;
  p = p * z + 1.0 / 17.0;
  p = p * z + 1.0 / 15.0;
  p = p * z + 1.0 / 13.0;
  p = p * z + 1.0 / 11.0;
  p = p * z + 1.0 / 9.0;
  p = p * z + 1.0 / 7.0;
  p = p * z + 1.0 / 5.0;
  p = p * z + 1.0 / 3.0;
  p = p * z + 1.0;
  double result = k * 0.69314718036912382 + (2.0 * s * p + k * 1.9082149292705877e-10);
  result = x < detail::Infinity() ? result : x;
  result = x > 0.0 ? result : -detail::Infinity();
  return x >= 0.0 ? result : detail::BitsToDouble(0x7FF8000000000000ULL);
}

/// 1 / (1 + e^-x), rounded once to float32.
KAURI_HD float Sigmoid(float x) { return static_cast<float>(1.0 / (1.0 + Exp(-static_cast<double>(x)))); }

KAURI_HD float ExpFloat(float x) { return static_cast<float>(Exp(static_cast<double>(x))); }

KAURI_HD float LogFloat(float x) { return static_cast<float>(Log(static_cast<double>(x))); }

/// Returns a key that is smaller for a larger value; 0 and -0 have the same key. A total order, NaNs included.
KAURI_HD std::uint32_t DescendingFloatKey(float value) {
  float const positive_zero = value + 0.0F;
  std::uint32_t bits;
  std::memcpy(&bits, &positive_zero, sizeof(bits));
  std::uint32_t const ascending = (bits & 0x80000000U) != 0U ? ~bits : bits | 0x80000000U;
  return ~ascending;
}

}  // namespace kauri
