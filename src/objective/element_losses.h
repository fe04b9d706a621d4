/// \file Losses that are sums over elements: one margin and one label per row and target. objective_table.h makes an
/// objective of each, on the host and on CUDA devices, and says how to add one.
///
/// Members of a loss:
///   kName, kDescription    as in the registry
///   DefaultMetric()        the metric that is shown if the user names none
///   Param                  its declared parameters, with their key in model files; the loss is constructed from them
///   Link                   the mapping from margins to predictions, links.h
///   Labels                 the labels that it accepts, labels.h
///   StartsAtMean()         whether the intercept is the mean label; if not, it is the prediction after one Newton step
///                          from margin 0. If the hessian vanishes far from the label, neither is safe: outlying
///                          labels move the mean away from all rows, and margin 0 may lie far from them, too
///   ParameterDefaults()    changed defaults of other components' parameters
///   a constructor          from Param, if it has its own
///   Gradient()             KAURI_HD; derivatives by the margin, times the weight. Uses only arithmetic, sqrt and
///                          common/math.h, because other functions give other bits on devices; uses selects instead of
///                          branches, for the vector loops. A positive hessian counts as at least 2^-30 of the round's
///                          largest (common/fixed_point.h); a row that must not count has exactly 0
/// ElementLoss has the defaults.
#pragma once

#include <dmlc/parameter.h>

#include <charconv>
#include <cmath>
#include <map>
#include <string>

#include "common/loss/loss_param.h"
#include "common/math.h"
#include "kauri/error.h"
#include "kauri/gradient.h"
#include "kauri/host_device.h"
#include "kauri/parameter.h"
#include "objective/labels.h"
#include "objective/links.h"
#include "objective/loss_base.h"

namespace kauri {

/// (margin - label)^2 / 2.
struct SquaredErrorLoss : PositivesScaledLoss {
  static constexpr char kName[] = "reg:squarederror";
  static constexpr char kDescription[] = "Regression with squared error.";
  static std::string DefaultMetric() { return "rmse"; }
  using PositivesScaledLoss::PositivesScaledLoss;

  KAURI_HD GradientPair Gradient(float margin, float label, float weight) const {
    float const scaled = Scaled(label, weight);
    return {(margin - label) * scaled, scaled};
  }
};

/// -(y ln p + (1 - y) ln(1 - p)) with p = sigmoid(margin). The objectives below differ in their predictions.
struct LogisticLoss : PositivesScaledLoss {
  using Labels = ProbabilityLabels;
  using PositivesScaledLoss::PositivesScaledLoss;
  static constexpr float kMinHessian = 1e-16F;

  KAURI_HD GradientPair Gradient(float margin, float label, float weight) const {
    float const scaled = Scaled(label, weight);
    float const probability = Sigmoid(margin);
    float const hessian = probability * (1.0F - probability);
    return {(probability - label) * scaled, (hessian > kMinHessian ? hessian : kMinHessian) * scaled};
  }
};

struct LogisticRegressionLoss : LogisticLoss {
  static constexpr char kName[] = "reg:logistic";
  static constexpr char kDescription[] = "Regression on labels in [0, 1]: a probability.";
  static std::string DefaultMetric() { return "rmse"; }
  using Link = LogitLink;
  using LogisticLoss::LogisticLoss;
};

struct TwoClassLoss : LogisticLoss {
  static constexpr char kName[] = "binary:logistic";
  static constexpr char kDescription[] = "Two classes, 0 and 1: the probability of 1.";
  static std::string DefaultMetric() { return "logloss"; }
  using Link = LogitLink;
  using LogisticLoss::LogisticLoss;
};

/// Predictions and base score stay margins. The base score is the mean label even here, where it is used as a margin,
/// as in XGBoost.
struct LogitRawLoss : LogisticLoss {
  static constexpr char kName[] = "binary:logitraw";
  static constexpr char kDescription[] = "Two classes, 0 and 1: the log-odds of 1.";
  static std::string DefaultMetric() { return "logloss"; }
  using LogisticLoss::LogisticLoss;
};

struct PoissonParam : public dmlc::Parameter<PoissonParam> {
  static constexpr char kModelKey[] = "poisson_regression_param";

  float max_delta_step;

  DMLC_DECLARE_PARAMETER(PoissonParam) {
    DMLC_DECLARE_FIELD(max_delta_step)
        .set_default(0.7F)
        .set_range(0.0F, 3.402823466e38F)
        .describe("Added to the margin in the hessian, and the largest absolute value of a leaf; 0 sets no limit.");
  }

  void Validate() const {}
};
KAURI_REGISTER_PARAMETER(PoissonParam)

/// e^margin - label * margin, the negative log-likelihood of counts with rate e^margin.
struct PoissonLoss : ElementLoss {
  static constexpr char kName[] = "count:poisson";
  static constexpr char kDescription[] = "Counts: the rate of a Poisson distribution.";
  static std::string DefaultMetric() { return "poisson-nloglik"; }
  static std::map<std::string, std::string> ParameterDefaults() { return {{"max_delta_step", "0.7"}}; }
  using Param = PoissonParam;
  using Link = LogLink;
  using Labels = CountLabels;

  explicit PoissonLoss(PoissonParam const& param) : max_delta_step(param.max_delta_step) {}

  KAURI_HD GradientPair Gradient(float margin, float label, float weight) const {
    return {(ExpFloat(margin) - label) * weight, ExpFloat(margin + max_delta_step) * weight};
  }

  /// 0 gives the true hessian; larger values make leaf values smaller, which prevents runaway rates
  float max_delta_step;
};

/// (ln(1 + margin) - ln(1 + label))^2 / 2.
struct SquaredLogLoss : ElementLoss {
  static constexpr char kName[] = "reg:squaredlogerror";
  static constexpr char kDescription[] = "Regression with squared error of ln(1 + value).";
  static std::string DefaultMetric() { return "rmsle"; }
  using Labels = LabelsAboveMinusOne;
  static bool StartsAtMean() { return false; }
  static constexpr float kMinMargin = -1.0F + 1e-6F;  ///< the loss is undefined below it; smaller margins count as this
  static constexpr double kMinHessian = 1e-6;  ///< the true hessian is negative for margins that are far too large

  KAURI_HD GradientPair Gradient(float margin, float label, float weight) const {
    double const shifted = 1.0 + static_cast<double>(margin > kMinMargin ? margin : kMinMargin);
    double const difference = Log(shifted) - Log(1.0 + static_cast<double>(label));
    double const hessian = (1.0 - difference) / (shifted * shifted);
    return {static_cast<float>(difference / shifted) * weight,
            static_cast<float>(hessian > kMinHessian ? hessian : kMinHessian) * weight};
  }
};

/// slope^2 (sqrt(1 + ((margin - label) / slope)^2) - 1): squared error near the label, absolute error far from it
/// (Charbonnier et al., "Deterministic edge-preserving regularization", 1997, table 1).
struct PseudoHuberLoss : ElementLoss {
  static constexpr char kName[] = "reg:pseudohubererror";
  static constexpr char kDescription[] = "Regression with the pseudo-Huber loss, which is absolute error for outliers.";
  static std::string DefaultMetric() { return "mphe"; }
  using Param = PseudoHuberParam;
  static bool StartsAtMean() { return false; }

  explicit PseudoHuberLoss(PseudoHuberParam const& param) : slope(param.huber_slope) {}

  KAURI_HD GradientPair Gradient(float margin, float label, float weight) const {
    double const difference = static_cast<double>(margin) - static_cast<double>(label);
    double const ratio = difference / static_cast<double>(slope);
    double const squares = 1.0 + ratio * ratio;
    double const root = sqrt(squares);
    return {static_cast<float>(difference / root) * weight, static_cast<float>(1.0 / (squares * root)) * weight};
  }

  float slope;  ///< distance of the transition between the two errors; not 0
};

/// (margin - label)^2 / 2 up to a distance of slope from the label, and a straight line beyond (Huber, "Robust
/// estimation of a location parameter", 1964). A straight line has no curvature. The hessian is the curvature of the
/// parabola that touches the line at the margin (Hunter and Lange, 2000, as in scaled_losses.h), so that steps towards
/// far labels are not too short.
struct HuberLoss : ElementLoss {
  static constexpr char kName[] = "reg:huber";
  static constexpr char kDescription[] = "Regression with the Huber loss: squared up to huber_slope, absolute beyond.";
  static std::string DefaultMetric() { return "huber"; }
  using Param = PseudoHuberParam;

  explicit HuberLoss(PseudoHuberParam const& param)
      : slope(param.huber_slope < 0.0F ? -param.huber_slope : param.huber_slope) {}

  KAURI_HD GradientPair Gradient(float margin, float label, float weight) const {
    double const difference = static_cast<double>(margin) - static_cast<double>(label);
    double const size = difference < 0.0 ? -difference : difference;
    double const bound = static_cast<double>(slope);
    double const share = size > bound ? bound / size : 1.0;
    return {static_cast<float>(difference * share) * weight, static_cast<float>(share) * weight};
  }

  float slope;  ///< above 0
};

/// c^2 (|difference| / c - ln(1 + |difference| / c)): squared near the label, nearly absolute far from it (Fair, "On
/// the robust estimation of econometric models", 1974). The true curvature is the square of this hessian and falls
/// faster than the slope, so steps would overshoot far labels. The hessian is the curvature of the parabola that
/// touches the loss, as in reg:huber.
struct FairLoss : ElementLoss {
  static constexpr char kName[] = "reg:fair";
  static constexpr char kDescription[] = "Regression with the Fair loss, which is nearly absolute error for outliers.";
  static std::string DefaultMetric() { return "fair"; }
  using Param = FairParam;

  explicit FairLoss(FairParam const& param) : scale(param.fair_c) {}

  KAURI_HD GradientPair Gradient(float margin, float label, float weight) const {
    double const difference = static_cast<double>(margin) - static_cast<double>(label);
    double const c = static_cast<double>(scale);
    double const share = c / ((difference < 0.0 ? -difference : difference) + c);
    return {static_cast<float>(difference * share) * weight, static_cast<float>(share) * weight};
  }

  float scale;  ///< above 0
};

/// margin + label / e^margin, the negative log-likelihood of the gamma distribution with mean e^margin up to its shape.
struct GammaLoss : PositivesScaledLoss {
  static constexpr char kName[] = "reg:gamma";
  static constexpr char kDescription[] = "Positive numbers: the mean of a gamma distribution.";
  static std::string DefaultMetric() { return "gamma-deviance"; }
  using Link = LogLink;
  using Labels = PositiveLabels;
  using PositivesScaledLoss::PositivesScaledLoss;

  KAURI_HD GradientPair Gradient(float margin, float label, float weight) const {
    float const scaled = Scaled(label, weight);
    auto const share = static_cast<float>(static_cast<double>(label) * Exp(-static_cast<double>(margin)));
    return {(1.0F - share) * scaled, share * scaled};
  }
};

struct TweedieParam : public dmlc::Parameter<TweedieParam> {
  static constexpr char kModelKey[] = "tweedie_regression_param";

  float tweedie_variance_power;

  DMLC_DECLARE_PARAMETER(TweedieParam) {
    DMLC_DECLARE_FIELD(tweedie_variance_power)
        .set_default(1.5F)
        .describe(
            "The variance is proportional to this power of the mean, in [1, 2): 1 as Poisson, towards 2 as gamma.");
  }

  void Validate() const {
    if (tweedie_variance_power >= 1.0F && tweedie_variance_power < 2.0F) return;
    Fail(ErrorKind::kParameter, "parameter tweedie_variance_power='", tweedie_variance_power, "' is not in [1, 2)");
  }
};
KAURI_REGISTER_PARAMETER(TweedieParam)

/// mean^(2 - p) / (2 - p) - label mean^(1 - p) / (1 - p) with mean = e^margin: the part of the Tweedie distribution's
/// negative log-likelihood that depends on the mean (Jorgensen, "Exponential dispersion models", 1987).
struct TweedieLoss : ElementLoss {
  static constexpr char kName[] = "reg:tweedie";
  static constexpr char kDescription[] = "Numbers of 0 or more, many of them 0: the mean of a Tweedie distribution.";
  using Param = TweedieParam;
  using Link = LogLink;
  using Labels = NonNegativeLabels;

  static constexpr bool kStartsAboveZero = true;  // a mean of 0 has no power 1 - p

  explicit TweedieLoss(TweedieParam const& param) : power(param.tweedie_variance_power) {}

  std::string DefaultMetric() const {
    char text[32];
    return "tweedie-nloglik@" + std::string(text, std::to_chars(text, text + sizeof(text), power).ptr);
  }
  KAURI_HD GradientPair Gradient(float margin, float label, float weight) const {
    double const p = static_cast<double>(power);
    double const m = static_cast<double>(margin);
    double const observed = static_cast<double>(label) * Exp((1.0 - p) * m);
    double const fitted = Exp((2.0 - p) * m);
    return {static_cast<float>(fitted - observed) * weight,
            static_cast<float>((2.0 - p) * fitted - (1.0 - p) * observed) * weight};
  }

  float power;  ///< the variance is proportional to mean^power; in [1, 2)
};

/// -a (1 - s)^gamma ln s with s = sigmoid(margin sign), the probability of the row's class; a = alpha for the label 1
/// and 1 - alpha for the label 0 (Lin et al., "Focal loss for dense object detection", 2017, equation 5).
///
/// The loss is not convex for small s. The hessian there is the curvature of a logistic loss with the same slope,
/// |slope| s, which equals the true curvature if gamma is 0.
struct FocalLoss : ElementLoss {
  static constexpr char kName[] = "binary:focal";
  static constexpr char kDescription[] =
      "Two classes, 0 and 1, by focal loss: rows that are right already count little.";
  static std::string DefaultMetric() { return "focal"; }
  using Param = FocalParam;
  using Link = LogitLink;
  using Labels = ClassLabels;
  static bool StartsAtMean() { return false; }
  static constexpr double kMostMargin = 700.0;  ///< e^margin is finite up to here
  static constexpr double kMinHessian = 1e-16;

  explicit FocalLoss(FocalParam const& param) : gamma(param.focal_gamma), alpha(param.focal_alpha) {}

  KAURI_HD GradientPair Gradient(float margin, float label, float weight) const {
    bool const positive = label == 1.0F;
    double const towards = static_cast<double>(positive ? margin : -margin);
    double const bounded = towards > kMostMargin ? kMostMargin : towards;
    double const m = bounded < -kMostMargin ? -kMostMargin : bounded;
    double const g = static_cast<double>(gamma);
    double const odds = Exp(-m);  // odds of the other class
    double const right = 1.0 / (1.0 + odds);
    double const wrong = odds / (1.0 + odds);
    double const log_right = -LogOfOnePlus(odds);
    double const class_weight = static_cast<double>(positive ? alpha : 1.0F - alpha);
    double const factor = class_weight * Exp(g * (log_right - m));  // ln wrong = ln right - m
    double const slope = factor * (wrong - g * right * log_right);
    double const curvature = factor * right * ((2.0 * g + 1.0) * wrong + g * log_right * (wrong - g * right));
    double const least = slope * right;
    double const hessian = curvature > least ? curvature : least;
    return {static_cast<float>(positive ? -slope : slope) * weight,
            static_cast<float>(hessian > kMinHessian ? hessian : kMinHessian) * weight};
  }

  float gamma;  ///< 0 or more
  float alpha;  ///< in [0, 1]

 private:
  /// Returns ln(1 + x) for x >= 0, with the digits that 1 + x loses (Kahan).
  KAURI_HD static double LogOfOnePlus(double x) {
    double const shifted = 1.0 + x;
    double const kept = shifted - 1.0;
    return kept > 0.0 ? Log(shifted) * (x / kept) : x;
  }
};

/// max(0, 1 - margin sign) with sign = -1 for the label 0 and 1 for the label 1.
struct HingeLoss : ElementLoss {
  static constexpr char kName[] = "binary:hinge";
  static constexpr char kDescription[] = "Two classes, 0 and 1: the class itself.";
  static std::string DefaultMetric() { return "error"; }
  using Link = ClassLink;
  using Labels = ClassLabels;
  static bool StartsAtMean() { return false; }

  /// The loss has no curvature; the hessian is 1 where the loss slopes. (XGBoost uses the smallest float in place of 0,
  /// which adds nothing to any sum of its trees; fixed-point sums would count it as one unit.)
  KAURI_HD GradientPair Gradient(float margin, float label, float weight) const {
    float const sign = 2.0F * label - 1.0F;
    if (margin * sign < 1.0F) return {-sign * weight, weight};
    return {0.0F, 0.0F};
  }
};

}  // namespace kauri
