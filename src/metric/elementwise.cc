#include <charconv>
#include <cmath>
#include <memory>

#include "common/loss/loss_param.h"
#include "kauri/error.h"
#include "metric/element_metric.h"
#include "metric/entries.h"

namespace kauri {
namespace {

double Identity(double mean) { return mean; }
double Root(double mean) { return std::sqrt(mean); }

/// A loss with a number after '@'.
template <typename Loss>
class NumberedMetric : public ElementMetric<Loss> {
 public:
  NumberedMetric(std::string name, float number)
      : ElementMetric<Loss>(std::move(name), Loss{number}, Identity), number_(number) {}
  std::string Argument() const override {
    char text[32];
    return {text, std::to_chars(text, text + sizeof(text), number_).ptr};
  }

 private:
  float number_;
};

template <typename Loss>
MetricFactory MakeFactory(char const* name, double (*finish)(double)) {
  return [name, finish](std::string const&, ParamMap const&) {
    return std::make_unique<ElementMetric<Loss>>(name, Loss{}, finish);
  };
}

/// name@number, with the six digits that XGBoost prints.
std::string NumberedName(std::string const& name, float number) {
  char text[32];
  auto const written = std::to_chars(text, text + sizeof(text), number, std::chars_format::general, 6);
  return name + "@" + std::string(text, written.ptr);
}

/// False unless all of `argument` is a finite number.
bool ParseNumber(std::string const& argument, float* number) {
  auto const* end = argument.data() + argument.size();
  auto const parsed = std::from_chars(argument.data(), end, *number);
  return parsed.ec == std::errc() && parsed.ptr == end && std::isfinite(*number);
}

std::unique_ptr<Metric> MakeError(std::string const& argument, ParamMap const&) {
  float threshold = 0.5F;
  if (!argument.empty() && !ParseNumber(argument, &threshold)) {
    Fail(ErrorKind::kParameter, "metric error@", argument, ": '", argument,
         "' is not a finite number; expected a threshold as in error@0.7");
  }
  auto const name = threshold == 0.5F ? std::string("error") : NumberedName("error", threshold);
  return std::make_unique<NumberedMetric<ThresholdError>>(name, threshold);
}

std::unique_ptr<Metric> MakeTweedie(std::string const& argument, ParamMap const&) {
  float power = 0.0F;
  if (!ParseNumber(argument, &power) || power < 1.0F || power >= 2.0F) {
    Fail(ErrorKind::kParameter, "metric tweedie-nloglik", argument.empty() ? "" : "@", argument, ": '", argument,
         "' is not a variance power in [1, 2); expected one as in tweedie-nloglik@1.5");
  }
  return std::make_unique<NumberedMetric<TweedieLogLoss>>(NumberedName("tweedie-nloglik", power), power);
}

std::unique_ptr<Metric> MakePseudoHuber(std::string const&, ParamMap const& params) {
  auto const slope = ParseParameters<PseudoHuberParam>(params).huber_slope;
  return std::make_unique<ElementMetric<PseudoHuberDifference>>("mphe", PseudoHuberDifference{slope}, Identity);
}

}  // namespace

void RegisterElementMetrics(Registry<MetricFactory>* registry) {
  registry->Add({"rmse", "Root of the mean squared difference.", MakeFactory<SquaredDifference>("rmse", Root)});
  registry->Add({"mae", "Mean absolute difference.", MakeFactory<AbsoluteDifference>("mae", Identity)});
  registry->Add({"logloss", "Mean negative log-likelihood of two classes.", MakeFactory<LogLoss>("logloss", Identity)});
  registry->Add({"error", "Share of rows on the wrong side of 0.5, or of t as error@t.", MakeError});
  registry->Add({"poisson-nloglik", "Mean negative log-likelihood of counts.",
                 MakeFactory<PoissonDeviance>("poisson-nloglik", Identity)});
  registry->Add({"rmsle", "Root of the mean squared difference of ln(1 + value).",
                 MakeFactory<SquaredLogDifference>("rmsle", Root)});
  registry->Add(
      {"mape", "Mean absolute difference as a share of the label.", MakeFactory<RelativeDifference>("mape", Identity)});
  registry->Add({"mphe", "Mean pseudo-Huber loss: squared for small, absolute for large differences.", MakePseudoHuber,
                 DescribeParameters<PseudoHuberParam>});
  registry->Add({"gamma-nloglik", "Mean negative log-likelihood of the gamma distribution with shape 1.",
                 MakeFactory<GammaLogLoss>("gamma-nloglik", Identity)});
  registry->Add({"gamma-deviance", "Mean deviance of the gamma distribution.",
                 MakeFactory<GammaDeviance>("gamma-deviance", Identity)});
  registry->Add({"tweedie-nloglik",
                 "Mean negative log-likelihood of the Tweedie distribution of variance power p, as tweedie-nloglik@p.",
                 MakeTweedie});
}

}  // namespace kauri
