/// \file Losses of one prediction and its label; float32 as XGBoost's, so that printed values agree.
#pragma once

#include <cmath>

#include "common/math.h"
#include "kauri/host_device.h"
#include "metric/log_gamma.h"

namespace kauri {

/// The smallest probability whose logarithm is taken. A NaN stays one.
KAURI_HD float ClampProbability(float probability) { return probability < 1e-16F ? 1e-16F : probability; }

struct SquaredDifference {
  KAURI_HD float operator()(float prediction, float label) const { return (label - prediction) * (label - prediction); }
};

struct AbsoluteDifference {
  KAURI_HD float operator()(float prediction, float label) const {
    return label > prediction ? label - prediction : prediction - label;
  }
};

struct LogLoss {
  KAURI_HD float operator()(float prediction, float label) const {
    return -(label * LogFloat(ClampProbability(prediction)) +
             (1.0F - label) * LogFloat(ClampProbability(1.0F - prediction)));
  }
};

/// 1 where the prediction lies on the wrong side of the threshold; at the threshold it counts as negative.
struct ThresholdError {
  float threshold;
  KAURI_HD float operator()(float prediction, float label) const {
    return prediction > threshold ? 1.0F - label : label;
  }
};

struct PoissonDeviance {
  KAURI_HD float operator()(float prediction, float label) const {
    auto const log_factorial = static_cast<float>(LogGamma(static_cast<double>(label) + 1.0));
    return prediction - label * LogFloat(ClampProbability(prediction)) + log_factorial;
  }
};

/// (ln(1 + label) - ln(1 + prediction))^2; NaN below -1.
struct SquaredLogDifference {
  KAURI_HD float operator()(float prediction, float label) const {
    auto const difference = LogPlusOne(label) - LogPlusOne(prediction);
    return difference * difference;
  }
  KAURI_HD static float LogPlusOne(float value) { return static_cast<float>(Log(1.0 + static_cast<double>(value))); }
};

/// Infinite where the label is 0.
struct RelativeDifference {
  KAURI_HD float operator()(float prediction, float label) const {
    auto const share = (label - prediction) / label;
    return share < 0.0F ? -share : share;
  }
};

/// Squared for small, absolute for large differences.
struct PseudoHuberDifference {
  float slope;
  KAURI_HD float operator()(float prediction, float label) const {
    double const ratio = (static_cast<double>(label) - static_cast<double>(prediction)) / static_cast<double>(slope);
    double const square = ratio * ratio;
    // slope^2 (sqrt(1 + square) - 1) without the difference of two near numbers.
    return static_cast<float>(static_cast<double>(slope) * static_cast<double>(slope) * square /
                              (sqrt(1.0 + square) + 1.0));
  }
};

/// Differences below the label count alpha, those above 1 - alpha.
struct PinballLoss {
  float alpha;
  KAURI_HD float operator()(float prediction, float label) const {
    return label >= prediction ? alpha * (label - prediction) : (1.0F - alpha) * (prediction - label);
  }
};

/// The same of squared differences.
struct ExpectileDifference {
  float alpha;
  KAURI_HD float operator()(float prediction, float label) const {
    float const square = (label - prediction) * (label - prediction);
    return (label >= prediction ? alpha : 1.0F - alpha) * square;
  }
};

/// 1 where e^margin lies within the bounds.
struct InBounds {
  KAURI_HD float operator()(float margin, float lower, float upper) const {
    double const time = Exp(static_cast<double>(margin));
    return time >= static_cast<double>(lower) && time <= static_cast<double>(upper) ? 1.0F : 0.0F;
  }
};

/// Of the gamma distribution with shape 1 and the prediction as mean.
struct GammaLogLoss {
  KAURI_HD float operator()(float prediction, float label) const {
    auto const mean = prediction < 1e-6F ? 1e-6F : prediction;
    return label / mean + LogFloat(mean);
  }
};

/// Twice the log-likelihood ratio; both are moved away from 0.
struct GammaDeviance {
  KAURI_HD float operator()(float prediction, float label) const {
    auto const mean = prediction + 1e-6F;
    auto const observed = label + 1e-6F;
    return 2.0F * (LogFloat(mean / observed) + observed / mean - 1.0F);
  }
};

/// Without the part that does not depend on the prediction; the variance is mean^power.
struct TweedieLogLoss {
  float power;
  KAURI_HD float operator()(float prediction, float label) const {
    auto const log_mean = LogFloat(prediction);
    auto const fitted = label * ExpFloat((1.0F - power) * log_mean) / (1.0F - power);
    return ExpFloat((2.0F - power) * log_mean) / (2.0F - power) - fitted;
  }
};

/// For several classes `prediction` is the probability of the label's class, and the label itself is not read.
struct ClassLogLoss {
  KAURI_HD float operator()(float prediction, float) const { return -LogFloat(ClampProbability(prediction)); }
};

/// For several classes `prediction` is the number of the likeliest class.
struct ClassError {
  KAURI_HD float operator()(float prediction, float label) const { return prediction == label ? 0.0F : 1.0F; }
};

}  // namespace kauri
