/// \file -(y ln p + (1 - y) ln(1 - p)) with p = sigmoid(margin), for reg:logistic, binary:logistic and binary:logitraw.
#pragma once

#include "common/math.h"
#include "kauri/gradient.h"
#include "kauri/host_device.h"

namespace kauri {

struct LogisticLoss {
  static constexpr float kMinHessian = 1e-16F;

  float scale_pos_weight;  ///< multiplies the weight of rows whose label is 1

  KAURI_HD GradientPair Gradient(float margin, float label, float weight) const {
    float const scaled = label == 1.0F ? weight * scale_pos_weight : weight;
    float const probability = Sigmoid(margin);
    float const hessian = probability * (1.0F - probability);
    return {(probability - label) * scaled, (hessian > kMinHessian ? hessian : kMinHessian) * scaled};
  }

  /// Inverse of the sigmoid, with XGBoost's steps in float32, for probability in (0, 1).
  KAURI_HD static float Logit(float probability) { return -LogFloat(1.0F / probability - 1.0F); }
};

}  // namespace kauri
