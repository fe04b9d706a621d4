/// Parsing and printing of the number after '@' in a metric's name.
#include "metric/element_losses.h"

#include "kauri/error.h"
#include "metric/inputs.h"

namespace kauri {

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
