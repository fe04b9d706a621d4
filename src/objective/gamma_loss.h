/// \file margin + label / e^margin, the negative log-likelihood of the gamma distribution with mean e^margin up to its
/// shape, for reg:gamma.
#pragma once

#include "common/math.h"
#include "kauri/gradient.h"
#include "kauri/host_device.h"

namespace kauri {

struct GammaLoss {
  float scale_pos_weight;  ///< multiplies the weight of rows whose label is 1

  KAURI_HD GradientPair Gradient(float margin, float label, float weight) const {
    float const scaled = label == 1.0F ? weight * scale_pos_weight : weight;
    auto const share = static_cast<float>(static_cast<double>(label) * Exp(-static_cast<double>(margin)));
    return {(1.0F - share) * scaled, share * scaled};
  }
};

}  // namespace kauri
