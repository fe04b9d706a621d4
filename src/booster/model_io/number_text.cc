#include "booster/model_io/number_text.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace kauri::model_io {
namespace {

char* WriteWord(char const* word, char* out) {
  auto const length = std::strlen(word);
  std::memcpy(out, word, length);
  return out + length;
}

/// Shortens an exponent in place and returns the new end: 1.5e-07 becomes 1.5E-7, and 5e+00 becomes 5E0.
char* ShortenExponent(char* begin, char* end) {
  auto* mark = end - 1;
  while (mark > begin && *mark != 'e') --mark;
  *mark++ = 'E';
  auto const* digits = mark + 1;
  if (*mark == '-') ++mark;
  while (digits + 1 < end && *digits == '0') ++digits;
  while (digits < end) *mark++ = *digits++;
  return mark;
}

std::string Digits(float value, int n_digits) {
  char text[2 * kFloatTextBytes];
  auto const result = std::to_chars(text, text + sizeof(text), value, std::chars_format::general, n_digits);
  return {text, result.ptr};
}

}  // namespace

char* WriteFloat(float value, char* out) {
  if (value == 0.0F) return WriteWord(std::signbit(value) ? "-0E0" : "0E0", out);
  if (std::isnan(value)) return WriteWord("NaN", out);
  if (std::isinf(value)) return WriteWord(value < 0.0F ? "-Infinity" : "Infinity", out);
  auto const result = std::to_chars(out, out + kFloatTextBytes, value, std::chars_format::scientific);
  return ShortenExponent(out, result.ptr);
}

std::string FloatText(float value) {
  char text[kFloatTextBytes];
  return {text, WriteFloat(value, text)};
}

std::string NineDigits(float value) { return Digits(value, 9); }

std::string SixDigits(float value) { return Digits(value, 6); }

bool ParseFloat(std::string const& text, float* out) {
  auto const begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return false;
  auto const* end = text.data() + text.find_last_not_of(" \t\r\n") + 1;
  auto const result = std::from_chars(text.data() + begin, end, *out);
  return result.ec == std::errc() && result.ptr == end && std::isfinite(*out);
}

}  // namespace kauri::model_io
