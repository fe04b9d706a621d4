/// \file Numbers after '@' in a metric's name.
#pragma once

#include <charconv>
#include <cmath>
#include <string>

namespace kauri {

/// False unless all of `argument` is a finite number.
inline bool ParseNumber(std::string const& argument, float* number) {
  auto const* end = argument.data() + argument.size();
  auto const parsed = std::from_chars(argument.data(), end, *number);
  return parsed.ec == std::errc() && parsed.ptr == end && std::isfinite(*number);
}

/// With all digits that it takes to read the same number.
inline std::string Digits(float number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), number).ptr};
}

/// With the six digits that XGBoost prints.
inline std::string SixDigits(float number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), number, std::chars_format::general, 6).ptr};
}

}  // namespace kauri
