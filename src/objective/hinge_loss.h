/// \file max(0, 1 - margin sign) with sign = -1 for the label 0 and 1 for the label 1, for binary:hinge.
#pragma once

#include "kauri/gradient.h"
#include "kauri/host_device.h"

namespace kauri {

struct HingeLoss {
  /// There is no curvature; 1 stands in its place where the loss slopes. (XGBoost has the smallest float in place of 0,
  /// which adds nothing to any sum of its trees; fixed-point sums would count it as one unit.)
  KAURI_HD GradientPair Gradient(float margin, float label, float weight) const {
    float const sign = 2.0F * label - 1.0F;
    if (margin * sign < 1.0F) return {-sign * weight, weight};
    return {0.0F, 0.0F};
  }
  KAURI_HD static float ClassOf(float margin) { return margin > 0.0F ? 1.0F : 0.0F; }
};

}  // namespace kauri
