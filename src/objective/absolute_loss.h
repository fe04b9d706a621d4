/// \file |margin - label|, for reg:absoluteerror.
#pragma once

#include "kauri/gradient.h"
#include "kauri/host_device.h"

namespace kauri {

struct AbsoluteLoss {
  static constexpr float kLeafQuantile = 0.5F;  ///< of residuals: the best constant

  /// There is no curvature; with 1 in its place trees look for groups of rows with residuals of the same sign.
  KAURI_HD GradientPair Gradient(float margin, float label, float weight) const {
    float const sign = margin > label ? 1.0F : margin < label ? -1.0F : 0.0F;
    return {sign * weight, weight};
  }
};

}  // namespace kauri
