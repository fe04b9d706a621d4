/// \file -ln p_label with p = softmax(margins), for multi:softmax and multi:softprob.
///
/// For a row: (1) the largest margin; (2) Exp(margin - largest) of each class in float64; (3) their sum in class order;
/// (4) Probability or Gradient of each class from 1 / sum. Everything up to the probability is float64, so hosts and
/// devices agree bit for bit.
#pragma once

#include <cstdint>

#include "kauri/gradient.h"
#include "kauri/host_device.h"

namespace kauri {

struct SoftmaxLoss {
  static constexpr float kMinHessian = 1e-16F;

  std::int64_t n_classes;

  KAURI_HD static float Probability(double exponent, double inverse_sum) {
    return static_cast<float>(exponent * inverse_sum);
  }
  /// The hessian is twice the diagonal of the true one, which bounds the whole matrix. The floor is applied after the
  /// weight.
  KAURI_HD static GradientPair Gradient(float probability, bool is_label, float weight) {
    float const hessian = 2.0F * probability * (1.0F - probability) * weight;
    return {(is_label ? probability - 1.0F : probability) * weight, hessian > kMinHessian ? hessian : kMinHessian};
  }
};

}  // namespace kauri
