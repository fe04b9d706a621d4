#include "data/text_number.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace kauri {
namespace {

/// The number in [begin, end) when it is beyond what from_chars represents: 0, or too large.
NumberStatus OutOfRange(char const* begin, char const* end, detail::NumberScan const& scan, float* value) {
  std::ptrdiff_t leading_zeros = 0;
  for (auto const* p = begin; p != end && (*p == '0' || *p == '.'); ++p) leading_zeros += *p == '0' ? 1 : 0;
  if (scan.n_digits - leading_zeros + scan.exponent > 0) return NumberStatus::kTooLarge;
  *value = 0.0F;
  return NumberStatus::kOk;
}

/// Length of `word` when [p, end) starts with it in any case, otherwise 0.
std::ptrdiff_t StartsWith(char const* p, char const* end, char const* word) {
  auto const length = static_cast<std::ptrdiff_t>(std::strlen(word));
  if (end - p < length) return 0;
  for (std::ptrdiff_t i = 0; i < length; ++i) {
    if ((p[i] | 0x20) != word[i]) return 0;
  }
  return length;
}

}  // namespace

NumberStatus detail::RoundSlowly(char const* begin, char const* end, NumberScan const& scan, float* value) {
  auto const result = std::from_chars(begin, end, *value);
  if (result.ec == std::errc::result_out_of_range) return OutOfRange(begin, end, scan, value);
  return std::isinf(*value) ? NumberStatus::kTooLarge : NumberStatus::kOk;
}

NumberStatus detail::ParseWord(char const** at, char const* p, char const* end, float* value) {
  for (auto const* word : {"nan", "infinity", "inf"}) {
    auto const length = StartsWith(p, end, word);
    if (length == 0) continue;
    *at = p + length;
    *value = std::numeric_limits<float>::quiet_NaN();
    return word[0] == 'n' ? NumberStatus::kOk : NumberStatus::kInfinite;
  }
  return NumberStatus::kNotANumber;
}

}  // namespace kauri
