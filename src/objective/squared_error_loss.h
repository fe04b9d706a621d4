/// \file (margin - label)^2 / 2, for reg:squarederror.
#pragma once

#include "kauri/gradient.h"
#include "kauri/host_device.h"

namespace kauri {

struct SquaredErrorLoss {
  float scale_pos_weight;  ///< multiplies the weight of rows whose label is 1

  KAURI_HD GradientPair Gradient(float margin, float label, float weight) const {
    float const scaled = label == 1.0F ? weight * scale_pos_weight : weight;
    return {(margin - label) * scaled, scaled};
  }
};

}  // namespace kauri
