/// \file Common base classes of the losses in element_losses.h.
#pragma once

#include <dmlc/parameter.h>

#include <map>
#include <string>

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

}  // namespace kauri
