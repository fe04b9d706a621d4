/// \file Numbers in text: correctly rounded to float32, no locale, no allocation.
///
/// A number of up to 19 digits whose digits are below 2^53 and whose power of ten is at most 22 in magnitude is the
/// result of one float64 multiplication or division of exact operands (Clinger 1990, "How to read floating point
/// numbers accurately"). The result is correctly rounded, and rounding it again to float32 is right unless it lies
/// halfway between two floats. Halfway cases and all other numbers go through std::from_chars.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kauri {

enum class NumberStatus { kOk, kNotANumber, kInfinite, kTooLarge };

inline bool IsDigit(char c) { return static_cast<unsigned char>(c - '0') <= 9; }

/// A parsed number. `end` is the end of the number, or the place where it should have begun if there is none.
struct ParsedFloat {
  NumberStatus status;
  float value;
  char const* end;
};

namespace detail {

inline constexpr std::array<double, 23> kPowersOfTen{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr std::int64_t kMaxExponent = 1000000;  // saturates; far beyond float32
constexpr std::ptrdiff_t kMaxDigits = 19;       // any number of this length fits into 64 bits

/// Result of scanning a number's characters.
struct NumberScan {
  std::uint64_t digits = 0;  ///< all digits as an integer; wrong if there are more than kMaxDigits
  std::ptrdiff_t n_digits = 0;
  std::int64_t exponent = 0;  ///< value = digits * 10^exponent
};

constexpr bool kLittleEndian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

/// Appends the digits at the start of `eight` characters (the first in the lowest byte). Returns their number, without
/// a branch on it: it is as good as random, and a misprediction costs more than the rest. Pairs, fours and eights are
/// joined within one word as in Lemire 2021, "Number parsing at a gigabyte per second".
inline std::ptrdiff_t AppendEight(std::uint64_t eight, NumberScan* scan) {
  constexpr std::array<std::uint64_t, 9> kPowers{1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  auto value = eight ^ 0x3030303030303030U;  // digits become 0 to 9
  auto const others = (value | (value + 0x0606060606060606U)) & 0xF0F0F0F0F0F0F0F0U;
  auto const n = others == 0 ? 8 : __builtin_ctzll(others) / 8;
  value = n == 0 ? 0 : value << (64 - 8 * n);  // zeros before the digits
  value = value * 10 + (value >> 8U);          // pairs, in every second byte
  value = ((value & 0x000000FF000000FFU) * 0x000F424000000064U +
           ((value >> 16U) & 0x000000FF000000FFU) * 0x0000271000000001U) >>
          32U;
  scan->digits = scan->digits * kPowers[n] + static_cast<std::uint32_t>(value);
  scan->n_digits += n;
  return n;
}

inline char const* ScanDigits(char const* p, char const* end, NumberScan* scan) {
  while (kLittleEndian && end - p >= 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, p, sizeof(eight));
    auto const n = AppendEight(eight, scan);
    p += n;
    if (n < 8) return p;
  }
  for (; p != end && IsDigit(*p); ++p) {
    ++scan->n_digits;
    scan->digits = scan->digits * 10 + static_cast<std::uint64_t>(*p - '0');
  }
  return p;
}

/// Scans [sign] digits after an 'e' at `p`. Returns p if there are none.
inline char const* ScanExponent(char const* p, char const* end, NumberScan* scan) {
  auto const* q = p + 1;
  auto const negative = q != end && *q == '-';
  if (q != end && (*q == '-' || *q == '+')) ++q;
  if (q == end || !IsDigit(*q)) return p;
  std::int64_t exponent = 0;
  for (; q != end && IsDigit(*q); ++q) exponent = std::min<std::int64_t>(exponent * 10 + (*q - '0'), kMaxExponent);
  scan->exponent += negative ? -exponent : exponent;
  return q;
}

inline char const* ScanNumber(char const* p, char const* end, NumberScan* scan) {
  if (p != end && end - p > 1 && IsDigit(*p) && p[1] == '.') {  // the commonest form
    scan->digits = static_cast<std::uint64_t>(*p++ - '0');
    scan->n_digits = 1;
  } else {
    p = ScanDigits(p, end, scan);
  }
  if (p != end && *p == '.') {
    auto const* fraction = p + 1;
    p = ScanDigits(fraction, end, scan);
    scan->exponent = fraction - p;
  }
  return p != end && (*p == 'e' || *p == 'E') ? ScanExponent(p, end, scan) : p;
}

/// Returns true for a float64 whose 29 bits below float32's last are exactly one half of it.
inline bool IsHalfway(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return (bits & 0x1FFFFFFFU) == 0x10000000U;
}

/// Computes a float64 that rounds to the right float32. Returns false if the number needs the slow path.
inline bool RoundShortly(NumberScan const& scan, double* value) {
  if (scan.n_digits > kMaxDigits || scan.digits > (std::uint64_t{1} << 53U) || scan.exponent < -22 ||
      scan.exponent > 22) {
    return false;
  }
  auto const digits = static_cast<double>(static_cast<std::int64_t>(scan.digits));
  *value = scan.exponent < 0 ? digits / kPowersOfTen[-scan.exponent] : digits * kPowersOfTen[scan.exponent];
  return !IsHalfway(*value);
}

/// Returns the number in [begin, end), without sign, by the slow path.
ParsedFloat RoundSlowly(char const* begin, char const* end, std::int64_t n_digits, std::int64_t exponent);
/// Parses nan or inf at `p`; `begin` is the sign before it or p itself.
ParsedFloat ParseWord(char const* begin, char const* p, char const* end);

}  // namespace detail

/// Reads [sign] digits [. digits] [e [sign] digits], nan, or inf, the words in any case, from [begin, end). A number
/// too small for float32 becomes 0 with its sign.
inline ParsedFloat ParseFloat(char const* begin, char const* end) {
  auto const sign = begin != end ? *begin : '0';
  auto const* p = begin + static_cast<int>((sign == '-') | (sign == '+'));  // signs are random: no branch
  detail::NumberScan scan;
  auto const* last = detail::ScanNumber(p, end, &scan);
  if (scan.n_digits == 0) return detail::ParseWord(begin, p, end);
  ParsedFloat parsed{NumberStatus::kOk, 0.0F, last};
  double magnitude = 0.0;
  if (detail::RoundShortly(scan, &magnitude)) {
    parsed.value = static_cast<float>(magnitude);
  } else {
    parsed = detail::RoundSlowly(p, last, scan.n_digits, scan.exponent);
  }
  parsed.value *= sign == '-' ? -1.0F : 1.0F;
  return parsed;
}

/// Reads digits into *value. Returns false, without moving *at, if there are none or they exceed int64.
inline bool ParseIndex(char const** at, char const* end, std::int64_t* value) {
  auto const* p = *at;
  std::uint64_t result = 0;
  while (p != end && IsDigit(*p)) result = result * 10 + static_cast<std::uint64_t>(*p++ - '0');
  if (p == *at || p - *at > 18) return false;
  *value = static_cast<std::int64_t>(result);
  *at = p;
  return true;
}

}  // namespace kauri
