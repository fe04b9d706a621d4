/// \file Common base classes of the losses in element_losses.h.
///
/// ExponentialLoss is the loss e^(-y margin) with y = 2 label - 1, which AdaBoost minimises (Friedman, Hastie and
/// Tibshirani, "Additive logistic regression: a statistical view of boosting", 2000, section 4).
///
/// The margin that minimises it is half the log-odds, so predictions are 1 / (1 + e^(-2 margin)). Its slope is -y times
/// the weight that AdaBoost gives the row, and its curvature is that weight.
#pragma once

#include <dmlc/parameter.h>

#include <map>
#include <string>

#include "common/math.h"
#include "kauri/gradient.h"
#include "kauri/host_device.h"
#include "kauri/parameter.h"
#include "objective/labels.h"
#include "objective/links.h"

namespace kauri {

/// The parameters of a loss without parameters.
struct NoParam {
  static constexpr char kModelKey[] = "";
};

struct ElementLoss {
  using Param = NoParam;
  using Link = IdentityLink;
  using Labels = FiniteLabels;
  static constexpr bool kStartsAboveZero = false;  ///< true if boosting cannot start from a mean label of 0
  static bool StartsAtMean() { return true; }
  static std::map<std::string, std::string> ParameterDefaults() { return {}; }
};

struct RegLossParam : public dmlc::Parameter<RegLossParam> {
  static constexpr char kModelKey[] = "reg_loss_param";

  float scale_pos_weight;

  DMLC_DECLARE_PARAMETER(RegLossParam) {
    DMLC_DECLARE_FIELD(scale_pos_weight)
        .set_default(1.0F)
        .set_range(0.0F, 3.402823466e38F)
        .describe("Multiplies the weight of rows whose label is 1, against unbalanced classes.");
  }

  void Validate() const {}
};
KAURI_REGISTER_PARAMETER(RegLossParam)

/// Base of losses that multiply the weight of rows with label 1. Their Newton step includes this factor, as the
/// gradients do; the mean label does not.
struct PositivesScaledLoss : ElementLoss {
  using Param = RegLossParam;

  explicit PositivesScaledLoss(RegLossParam const& param) : scale_pos_weight(param.scale_pos_weight) {}

  bool StartsAtMean() const { return scale_pos_weight == 1.0F; }
  KAURI_HD float Scaled(float label, float weight) const { return label == 1.0F ? weight * scale_pos_weight : weight; }

  float scale_pos_weight;
};

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
