#include "data/text/text_number.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace kauri {
namespace {

/// Returns the status of a number that from_chars cannot represent: it is 0 or too large.
NumberStatus StatusOutOfRange(char const* begin, char const* end, std::int64_t n_digits, std::int64_t exponent) {
  std::int64_t leading_zeros = 0;
  for (auto const* p = begin; p != end && (*p == '0' || *p == '.'); ++p) leading_zeros += *p == '0' ? 1 : 0;
  return n_digits - leading_zeros + exponent > 0 ? NumberStatus::kTooLarge : NumberStatus::kOk;
}

/// Returns the length of `word` if [p, end) starts with it in any case, otherwise 0.
std::ptrdiff_t StartsWith(char const* p, char const* end, char const* word) {
  auto const length = static_cast<std::ptrdiff_t>(std::strlen(word));
  if (end - p < length) return 0;
  for (std::ptrdiff_t i = 0; i < length; ++i) {
    if ((p[i] | 0x20) != word[i]) return 0;
  }
  return length;
}

}  // namespace

ParsedFloat detail::RoundSlowly(char const* begin, char const* end, std::int64_t n_digits, std::int64_t exponent) {
  ParsedFloat parsed{NumberStatus::kOk, 0.0F, end};
  auto const result = std::from_chars(begin, end, parsed.value);
  if (result.ec == std::errc::result_out_of_range) {
    parsed.status = StatusOutOfRange(begin, end, n_digits, exponent);
  } else if (std::isinf(parsed.value)) {
    parsed.status = NumberStatus::kTooLarge;
  }
  return parsed;
}

ParsedFloat detail::ParseWord(char const* begin, char const* p, char const* end) {
  ParsedFloat parsed{NumberStatus::kNotANumber, 0.0F, begin};
  for (auto const* word : {"nan", "infinity", "inf"}) {
    auto const length = StartsWith(p, end, word);
    if (length == 0) continue;
    parsed.status = word[0] == 'n' ? NumberStatus::kOk : NumberStatus::kInfinite;
    parsed.value = std::numeric_limits<float>::quiet_NaN();
    parsed.end = p + length;
    break;
  }
  return parsed;
}

}  // namespace kauri
