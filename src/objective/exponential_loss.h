/// \file The exponential loss e^(-y margin) with y = 2 label - 1, which AdaBoost minimises (Friedman, Hastie and
/// Tibshirani, "Additive logistic regression: a statistical view of boosting", 2000, section 4).
///
/// The margin that minimises it is half the log-odds, so predictions are 1 / (1 + e^(-2 margin)). Its slope is -y times
/// the weight that AdaBoost gives the row, and its curvature is that weight.
#pragma once

#include <string>

#include "common/math.h"
#include "kauri/gradient.h"
#include "kauri/host_device.h"
#include "objective/loss_base.h"

namespace kauri {

struct ExponentialLoss : PositivesScaledLoss {
  static constexpr char kName[] = "binary:exponential";
  static constexpr char kDescription[] =
      "Two classes, 0 and 1, by the exponential loss of AdaBoost: the probability of 1. XGBoost cannot load its "
      "models.";
  static std::string DefaultMetric() { return "error"; }
  using Link = HalfLogitLink;
  using Labels = ClassLabels;
  using PositivesScaledLoss::PositivesScaledLoss;
  static constexpr double kMostMargin = 30.0;  ///< keeps weights between e^-30 and e^30

  KAURI_HD GradientPair Gradient(float margin, float label, float weight) const {
    bool const positive = label == 1.0F;
    double const towards = static_cast<double>(positive ? margin : -margin);
    double const bounded = towards > kMostMargin ? kMostMargin : towards;
    auto const loss = static_cast<float>(Exp(bounded < -kMostMargin ? kMostMargin : -bounded));
    float const scaled = loss * Scaled(label, weight);
    return {positive ? -scaled : scaled, scaled};
  }
};

}  // namespace kauri
