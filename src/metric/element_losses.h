/// \file Losses of one prediction and its label; float32 as in XGBoost, so that printed values agree. metric_table.h
/// makes a metric of each elementwise loss, on the host and on CUDA devices, and says how to add one.
///
/// Members of an elementwise loss:
///   kName, kDescription    as in the registry
///   operator()             the loss, for the host and devices
///   kTakesRoot             whether the metric is the root of the mean
///   Param                  its declared parameters, if any; the loss is constructed from them
/// MeanLoss has the defaults. A loss with a number after '@' in the metric's name is constructed from this text, and
/// has Number() and Suffix() for it.
///
/// ln Gamma(x) with the same bits everywhere, see common/math.h.
#pragma once

#include <cmath>
#include <string>

#include "common/loss/loss_param.h"
#include "common/math.h"
#include "kauri/host_device.h"

namespace kauri {

/// Returns ln Gamma(x) for x >= 0, NaN otherwise; error below 1e-13 absolute or relative, whichever is larger.
/// Uses Gamma(x) = Gamma(x + n) / (x (x + 1) ... (x + n - 1)) up to x + n >= 10, then Stirling's series with five
/// terms.
KAURI_HD double LogGamma(double x) {
  if (!(x >= 0.0)) return detail::BitsToDouble(0x7FF8000000000000ULL);
  if (x > 1e300) return detail::Infinity();
  double product = 1.0;
  while (x < 10.0) {
    product *= x;
    x += 1.0;
  }
  double const inverse = 1.0 / x;
  double const square = inverse * inverse;
  double series = 1.0 / 1188.0;
  series = series * square - 1.0 / 1680.0;
  series = series * square + 1.0 / 1260.0;
  series = series * square - 1.0 / 360.0;
  series = series * square + 1.0 / 12.0;
  double const half_log_two_pi = 0.91893853320467274;
  return (x - 0.5) * Log(x) - x + half_log_two_pi + series * inverse - Log(product);
}

/// Returns the probability, but at least the smallest one whose logarithm is taken. NaN stays NaN.
KAURI_HD float ClampProbability(float probability) { return probability < 1e-16F ? 1e-16F : probability; }

struct MeanLoss {
  using Param = void;
  static constexpr bool kTakesRoot = false;
  static std::string Number() { return {}; }
  static std::string Suffix() { return {}; }
};

struct SquaredDifference : MeanLoss {
  static constexpr char kName[] = "rmse";
  static constexpr char kDescription[] = "Root of the mean squared difference.";
  static constexpr bool kTakesRoot = true;

  KAURI_HD float operator()(float prediction, float label) const { return (label - prediction) * (label - prediction); }
};

struct AbsoluteDifference : MeanLoss {
  static constexpr char kName[] = "mae";
  static constexpr char kDescription[] = "Mean absolute difference.";

  KAURI_HD float operator()(float prediction, float label) const {
    return label > prediction ? label - prediction : prediction - label;
  }
};

struct LogLoss : MeanLoss {
  static constexpr char kName[] = "logloss";
  static constexpr char kDescription[] = "Mean negative log-likelihood of two classes.";

  KAURI_HD float operator()(float prediction, float label) const {
    return -(label * LogFloat(ClampProbability(prediction)) +
             (1.0F - label) * LogFloat(ClampProbability(1.0F - prediction)));
  }
};

/// 1 if the prediction lies on the wrong side of the threshold; at the threshold it counts as negative.
struct ThresholdError : MeanLoss {
  static constexpr char kName[] = "error";
  static constexpr char kDescription[] = "Share of rows on the wrong side of 0.5, or of t as error@t.";

  /// argument: a threshold, or empty for 0.5. \throws Error(kParameter) for any other text.
  explicit ThresholdError(std::string const& argument);
  std::string Number() const;
  std::string Suffix() const;

  KAURI_HD float operator()(float prediction, float label) const {
    return prediction > threshold ? 1.0F - label : label;
  }

  float threshold;
};

struct PoissonDeviance : MeanLoss {
  static constexpr char kName[] = "poisson-nloglik";
  static constexpr char kDescription[] = "Mean negative log-likelihood of counts.";

  KAURI_HD float operator()(float prediction, float label) const {
    auto const log_factorial = static_cast<float>(LogGamma(static_cast<double>(label) + 1.0));
    return prediction - label * LogFloat(ClampProbability(prediction)) + log_factorial;
  }
};

/// (ln(1 + label) - ln(1 + prediction))^2; NaN below -1.
struct SquaredLogDifference : MeanLoss {
  static constexpr char kName[] = "rmsle";
  static constexpr char kDescription[] = "Root of the mean squared difference of ln(1 + value).";
  static constexpr bool kTakesRoot = true;

  KAURI_HD float operator()(float prediction, float label) const {
    auto const difference = LogPlusOne(label) - LogPlusOne(prediction);
    return difference * difference;
  }
  KAURI_HD static float LogPlusOne(float value) { return static_cast<float>(Log(1.0 + static_cast<double>(value))); }
};

/// Infinite where the label is 0.
struct RelativeDifference : MeanLoss {
  static constexpr char kName[] = "mape";
  static constexpr char kDescription[] = "Mean absolute difference as a share of the label.";

  KAURI_HD float operator()(float prediction, float label) const {
    auto const share = (label - prediction) / label;
    return share < 0.0F ? -share : share;
  }
};

/// Squared for small, absolute for large differences.
struct PseudoHuberDifference : MeanLoss {
  static constexpr char kName[] = "mphe";
  static constexpr char kDescription[] = "Mean pseudo-Huber loss: squared for small, absolute for large differences.";
  using Param = PseudoHuberParam;

  explicit PseudoHuberDifference(PseudoHuberParam const& param) : slope(param.huber_slope) {}

  KAURI_HD float operator()(float prediction, float label) const {
    double const ratio = (static_cast<double>(label) - static_cast<double>(prediction)) / static_cast<double>(slope);
    double const square = ratio * ratio;
    // Computes slope^2 (sqrt(1 + square) - 1) without subtracting two nearly equal numbers.
    return static_cast<float>(static_cast<double>(slope) * static_cast<double>(slope) * square /
                              (sqrt(1.0 + square) + 1.0));
  }

  float slope;
};

/// Squared up to the slope, a straight line beyond; the loss of reg:huber.
struct HuberDifference : MeanLoss {
  static constexpr char kName[] = "huber";
  static constexpr char kDescription[] = "Mean Huber loss: squared up to huber_slope, absolute beyond.";
  using Param = PseudoHuberParam;

  explicit HuberDifference(PseudoHuberParam const& param)
      : slope(param.huber_slope < 0.0F ? -param.huber_slope : param.huber_slope) {}

  KAURI_HD float operator()(float prediction, float label) const {
    float const difference = label > prediction ? label - prediction : prediction - label;
    return difference > slope ? slope * (difference - 0.5F * slope) : 0.5F * difference * difference;
  }

  float slope;
};

/// c^2 (ratio - ln(1 + ratio)) with ratio = |difference| / c; the loss of reg:fair.
struct FairDifference : MeanLoss {
  static constexpr char kName[] = "fair";
  static constexpr char kDescription[] = "Mean Fair loss: squared for small, nearly absolute for large differences.";
  using Param = FairParam;

  explicit FairDifference(FairParam const& param) : scale(param.fair_c) {}

  KAURI_HD float operator()(float prediction, float label) const {
    double const difference = static_cast<double>(label) - static_cast<double>(prediction);
    double const c = static_cast<double>(scale);
    double const ratio = (difference < 0.0 ? -difference : difference) / c;
    // Digits of the logarithm cancel for small ratios; the series' next term is below 1e-13 of the first.
    double const small = ratio * ratio * (0.5 - ratio * (1.0 / 3.0 - ratio * (0.25 - ratio * 0.2)));
    return static_cast<float>(c * c * (ratio < 1e-3 ? small : ratio - Log(1.0 + ratio)));
  }

  float scale;
};

/// The loss of binary:focal at a probability.
struct FocalDifference : MeanLoss {
  static constexpr char kName[] = "focal";
  static constexpr char kDescription[] = "Mean focal loss of two classes.";
  using Param = FocalParam;

  explicit FocalDifference(FocalParam const& param) : gamma(param.focal_gamma), alpha(param.focal_alpha) {}

  KAURI_HD float operator()(float prediction, float label) const {
    return label * alpha * OfClass(prediction) + (1.0F - label) * (1.0F - alpha) * OfClass(1.0F - prediction);
  }

  float gamma;
  float alpha;

 private:
  /// probability: the probability of the row's class.
  KAURI_HD float OfClass(float probability) const {
    float const wrong = LogFloat(ClampProbability(1.0F - probability));
    return -ExpFloat(gamma * wrong) * LogFloat(ClampProbability(probability));
  }
};

/// The loss of binary:exponential at a probability: the root of the odds of the other class, at most e^8.66, because
/// float32 has no probability nearer to 1.
struct ExponentialDifference : MeanLoss {
  static constexpr char kName[] = "exploss";
  static constexpr char kDescription[] = "Mean exponential loss of two classes, with half the log-odds as margin.";

  KAURI_HD float operator()(float prediction, float label) const {
    double const probability = static_cast<double>(prediction);
    double const bounded = probability < kLeast ? kLeast : probability;
    double const of_one = bounded > 1.0 - kLeast ? 1.0 - kLeast : bounded;
    double const odds = of_one / (1.0 - of_one);
    return label * static_cast<float>(sqrt(1.0 / odds)) + (1.0F - label) * static_cast<float>(sqrt(odds));
  }

  static constexpr double kLeast = 1.0 / 33554432.0;  ///< 2^-25
};

/// Negative log-likelihood of the gamma distribution with shape 1 and the prediction as mean.
struct GammaLogLoss : MeanLoss {
  static constexpr char kName[] = "gamma-nloglik";
  static constexpr char kDescription[] = "Mean negative log-likelihood of the gamma distribution with shape 1.";

  KAURI_HD float operator()(float prediction, float label) const {
    auto const mean = prediction < 1e-6F ? 1e-6F : prediction;
    return label / mean + LogFloat(mean);
  }
};

/// Twice the log-likelihood ratio. Both mean and label are moved away from 0.
struct GammaDeviance : MeanLoss {
  static constexpr char kName[] = "gamma-deviance";
  static constexpr char kDescription[] = "Mean deviance of the gamma distribution.";

  KAURI_HD float operator()(float prediction, float label) const {
    auto const mean = prediction + 1e-6F;
    auto const observed = label + 1e-6F;
    return 2.0F * (LogFloat(mean / observed) + observed / mean - 1.0F);
  }
};

/// Negative log-likelihood without the part that does not depend on the prediction; the variance is mean^power.
struct TweedieLogLoss : MeanLoss {
  static constexpr char kName[] = "tweedie-nloglik";
  static constexpr char kDescription[] =
      "Mean negative log-likelihood of the Tweedie distribution of variance power p, as tweedie-nloglik@p.";

  /// argument: a power in [1, 2). \throws Error(kParameter) for any other text.
  explicit TweedieLogLoss(std::string const& argument);
  std::string Number() const;
  std::string Suffix() const;

  KAURI_HD float operator()(float prediction, float label) const {
    auto const log_mean = LogFloat(prediction);
    auto const fitted = label * ExpFloat((1.0F - power) * log_mean) / (1.0F - power);
    return ExpFloat((2.0F - power) * log_mean) / (2.0F - power) - fitted;
  }

  float power;
};

/// Loss of one alpha: predictions below the label have the slope alpha, predictions above it 1 - alpha.
struct PinballLoss {
  float alpha;
  KAURI_HD float operator()(float prediction, float label) const {
    return label >= prediction ? alpha * (label - prediction) : (1.0F - alpha) * (prediction - label);
  }
};

/// The same for squared differences.
struct ExpectileDifference {
  float alpha;
  KAURI_HD float operator()(float prediction, float label) const {
    float const square = (label - prediction) * (label - prediction);
    return (label >= prediction ? alpha : 1.0F - alpha) * square;
  }
};

/// 1 if e^margin lies within the bounds.
struct InBounds {
  KAURI_HD float operator()(float margin, float lower, float upper) const {
    double const time = Exp(static_cast<double>(margin));
    return time >= static_cast<double>(lower) && time <= static_cast<double>(upper) ? 1.0F : 0.0F;
  }
};

/// Loss of several classes. `prediction` is the probability of the label's class; the label itself is not read.
struct ClassLogLoss {
  KAURI_HD float operator()(float prediction, float) const { return -LogFloat(ClampProbability(prediction)); }
};

/// Error of several classes. `prediction` is the number of the likeliest class.
struct ClassError {
  KAURI_HD float operator()(float prediction, float label) const { return prediction == label ? 0.0F : 1.0F; }
};

}  // namespace kauri
