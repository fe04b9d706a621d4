/// \file Numbers after '@' in a metric's name.
#pragma once

#include <charconv>
#include <cmath>
#include <string>

namespace kauri {

/// Parses a number. Returns false unless all of `argument` is a finite number.
inline bool ParseNumber(std::string const& argument, float* number) {
  auto const* end = argument.data() + argument.size();
  auto const parsed = std::from_chars(argument.data(), end, *number);
  return parsed.ec == std::errc() && parsed.ptr == end && std::isfinite(*number);
}

/// Prints a number with all digits that are needed to read the same number back.
inline std::string Digits(float number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), number).ptr};
}

/// Prints a number with six digits, as XGBoost does.
inline std::string SixDigits(float number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), number, std::chars_format::general, 6).ptr};
}

}  // namespace kauri
