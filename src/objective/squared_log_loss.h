/// \file (ln(1 + margin) - ln(1 + label))^2 / 2, for reg:squaredlogerror.
#pragma once

#include "common/math.h"
#include "kauri/gradient.h"
#include "kauri/host_device.h"

namespace kauri {

struct SquaredLogLoss {
  static constexpr float kMinMargin = -1.0F + 1e-6F;  ///< below it the loss is not defined: it counts as this
  static constexpr double kMinHessian = 1e-6;         ///< the true one is negative where margins are far too large

  KAURI_HD GradientPair Gradient(float margin, float label, float weight) const {
    double const shifted = 1.0 + static_cast<double>(margin > kMinMargin ? margin : kMinMargin);
    double const difference = Log(shifted) - Log(1.0 + static_cast<double>(label));
    double const hessian = (1.0 - difference) / (shifted * shifted);
    return {static_cast<float>(difference / shifted) * weight,
            static_cast<float>(hessian > kMinHessian ? hessian : kMinHessian) * weight};
  }
};

}  // namespace kauri
