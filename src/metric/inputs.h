/// \file Checks of a metric's inputs, and numbers after '@' in a metric's name.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

#include "kauri/context.h"
#include "kauri/meta_info.h"
#include "kauri/span.h"

namespace kauri {

/// \throws Error(kData) unless there is a label for every row and target.
void CheckLabelCount(std::string const& metric, MetaInfo const& info);
/// Checks as CheckLabelCount does, and that there are [n_rows] weights or none.
void CheckInputs(std::string const& metric, MetaInfo const& info);
/// Checks a mean whose weight is 0. Ranks call it together. \throws Error(kData) if there are labels and all are
/// missing.
void RequireKnownLabels(Context const& ctx, std::string const& metric, MetaInfo const& info);
/// Returns the number of outputs per row; 1 without rows. \throws Error(kData) as CheckLabelCount, and unless all rows
/// have the same number.
std::int64_t OutputsPerRow(std::string const& metric, Span<float const> predictions, MetaInfo const& info);
/// \throws Error(kData) unless every label is an integer in [0, n_classes).
void CheckClassLabels(std::string const& metric, MetaInfo const& info, std::int64_t n_classes);

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
