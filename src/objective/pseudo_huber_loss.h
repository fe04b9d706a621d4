/// \file slope^2 (sqrt(1 + ((margin - label) / slope)^2) - 1), for reg:pseudohubererror: squared error near the label,
/// absolute error far from it (Charbonnier et al., "Deterministic edge-preserving regularization", 1997, table 1).
#pragma once

#include <cmath>

#include "kauri/gradient.h"
#include "kauri/host_device.h"

namespace kauri {

struct PseudoHuberLoss {
  float slope;  ///< where the one becomes the other; not 0

  KAURI_HD GradientPair Gradient(float margin, float label, float weight) const {
    double const difference = static_cast<double>(margin) - static_cast<double>(label);
    double const ratio = difference / static_cast<double>(slope);
    double const squares = 1.0 + ratio * ratio;
    double const root = sqrt(squares);
    return {static_cast<float>(difference / root) * weight, static_cast<float>(1.0 / (squares * root)) * weight};
  }
};

}  // namespace kauri
