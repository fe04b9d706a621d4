/// \file Elementary functions with the same bits on every host and device.
///
/// libm, its vector versions and CUDA's math library differ in the last bits; a model that went through them would not
/// be reproducible (design D5). These use only IEEE float64 additions, multiplications and divisions (contraction is
/// off on both sides) and round once to float32. Error against the true value before that rounding: below 1e-13
/// relative, so the float32 result is the correctly rounded one but for about one argument in ten million.
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

}  // namespace detail

/// e^x. x = k ln2 + r with |r| <= ln2 / 2; e^r by its Taylor polynomial of degree 11 (remainder < 4e-15).
KAURI_HD double Exp(double x) {
  if (!(x == x)) return x;
  if (x > 709.0) return detail::BitsToDouble(0x7FF0000000000000ULL);
  if (x < -708.0) return 0.0;
  double const shifted =
      x * 1.4426950408889634 + 6755399441055744.0;  // 1.5 * 2^52: rounds to an integer in the low bits
  double const k = shifted - 6755399441055744.0;
  double const r =
      (x - k * 0.69314718036912382) - k * 1.9082149292705877e-10;  // ln2 in two parts, the first with 21 spare bits
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
  return p * detail::BitsToDouble(static_cast<std::uint64_t>(static_cast<std::int64_t>(k) + 1023) << 52U);
}

/// ln x. x = 2^k m with m in [sqrt(1/2), sqrt(2)); ln m = 2 artanh((m - 1) / (m + 1)) by its series to degree 19.
KAURI_HD double Log(double x) {
  if (!(x == x) || x < 0.0) return detail::BitsToDouble(0x7FF8000000000000ULL);
  if (x == 0.0) return -detail::BitsToDouble(0x7FF0000000000000ULL);
  std::uint64_t bits = detail::DoubleToBits(x);
  if ((bits >> 52U) == 0x7FFU) return x;
  std::int64_t k = 0;
  if ((bits >> 52U) == 0U) {  // subnormal
    bits = detail::DoubleToBits(x * 18014398509481984.0);
    k = -54;
  }
  k += static_cast<std::int64_t>(bits >> 52U) - 1023;
  double m = detail::BitsToDouble((bits & 0x000FFFFFFFFFFFFFULL) | 0x3FF0000000000000ULL);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++k;
  }
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
  auto const exponent = static_cast<double>(k);
  return exponent * 0.69314718036912382 + (2.0 * s * p + exponent * 1.9082149292705877e-10);
}

/// 1 / (1 + e^-x), rounded once to float32.
KAURI_HD float Sigmoid(float x) { return static_cast<float>(1.0 / (1.0 + Exp(-static_cast<double>(x)))); }

KAURI_HD float ExpFloat(float x) { return static_cast<float>(Exp(static_cast<double>(x))); }

KAURI_HD float LogFloat(float x) { return static_cast<float>(Log(static_cast<double>(x))); }

}  // namespace kauri
