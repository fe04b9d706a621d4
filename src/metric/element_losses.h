/// \file Losses of one prediction and its label; float32 as XGBoost's, so that printed values agree.
#pragma once

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

/// For several classes `prediction` is the probability of the label's class, and the label itself is not read.
struct ClassLogLoss {
  KAURI_HD float operator()(float prediction, float) const { return -LogFloat(ClampProbability(prediction)); }
};

/// For several classes `prediction` is the number of the likeliest class.
struct ClassError {
  KAURI_HD float operator()(float prediction, float label) const { return prediction == label ? 0.0F : 1.0F; }
};

}  // namespace kauri
