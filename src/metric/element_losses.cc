/// What losses make of the text after '@' in a metric's name.
#include "metric/element_losses.h"

#include <charconv>

#include "kauri/error.h"

namespace kauri {
namespace {

/// False unless all of `argument` is a finite number.
bool ParseNumber(std::string const& argument, float* number) {
  auto const* end = argument.data() + argument.size();
  auto const parsed = std::from_chars(argument.data(), end, *number);
  return parsed.ec == std::errc() && parsed.ptr == end && std::isfinite(*number);
}

/// With all digits that it takes to read the same number.
std::string Digits(float number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), number).ptr};
}

/// With the six digits that XGBoost prints.
std::string SixDigits(float number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), number, std::chars_format::general, 6).ptr};
}

}  // namespace

ThresholdError::ThresholdError(std::string const& argument) : threshold(0.5F) {
  if (argument.empty() || ParseNumber(argument, &threshold)) return;
  Fail(ErrorKind::kParameter, "metric error@", argument, ": '", argument,
       "' is not a finite number; expected a threshold as in error@0.7");
}

std::string ThresholdError::Number() const { return Digits(threshold); }

std::string ThresholdError::Suffix() const { return threshold == 0.5F ? std::string() : "@" + SixDigits(threshold); }

TweedieLogLoss::TweedieLogLoss(std::string const& argument) : power(0.0F) {
  if (ParseNumber(argument, &power) && power >= 1.0F && power < 2.0F) return;
  Fail(ErrorKind::kParameter, "metric tweedie-nloglik", argument.empty() ? "" : "@", argument, ": '", argument,
       "' is not a variance power in [1, 2); expected one as in tweedie-nloglik@1.5");
}

std::string TweedieLogLoss::Number() const { return Digits(power); }

std::string TweedieLogLoss::Suffix() const { return "@" + SixDigits(power); }

}  // namespace kauri
