/// \file The parameter of squared error and logistic loss; `reg_loss_param` in model files.
#pragma once

#include <dmlc/parameter.h>

namespace kauri {

struct RegLossParam : public dmlc::Parameter<RegLossParam> {
  float scale_pos_weight;

  DMLC_DECLARE_PARAMETER(RegLossParam) {
    DMLC_DECLARE_FIELD(scale_pos_weight)
        .set_default(1.0F)
        .set_range(0.0F, 3.402823466e38F)
        .describe("Multiplies the weight of rows whose label is 1, against unbalanced classes.");
  }

  void Validate() const {}
};

}  // namespace kauri
