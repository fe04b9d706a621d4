/// \file alpha (label - margin) below the label and (1 - alpha) (margin - label) above it, for reg:quantileerror
/// (Koenker and Bassett, "Regression quantiles", 1978).
#pragma once

#include "kauri/gradient.h"
#include "kauri/host_device.h"

namespace kauri {

struct QuantileLoss {
  float alpha;  ///< in [0, 1]: the quantile that is the best constant

  /// 1 in the place of the curvature, as for the absolute error.
  KAURI_HD GradientPair Gradient(float margin, float label, float weight) const {
    float const slope = margin >= label ? 1.0F - alpha : -alpha;
    return {slope * weight, weight};
  }
};

}  // namespace kauri
