/// \file mean^(2 - p) / (2 - p) - label mean^(1 - p) / (1 - p) with mean = e^margin: the part of the Tweedie
/// distribution's negative log-likelihood that depends on the mean, for reg:tweedie (Jorgensen, "Exponential dispersion
/// models", 1987).
#pragma once

#include "common/math.h"
#include "kauri/gradient.h"
#include "kauri/host_device.h"

namespace kauri {

struct TweedieLoss {
  float power;  ///< the variance is proportional to mean^power; in [1, 2)

  KAURI_HD GradientPair Gradient(float margin, float label, float weight) const {
    double const p = static_cast<double>(power);
    double const m = static_cast<double>(margin);
    double const observed = static_cast<double>(label) * Exp((1.0 - p) * m);
    double const fitted = Exp((2.0 - p) * m);
    return {static_cast<float>(fitted - observed) * weight,
            static_cast<float>((2.0 - p) * fitted - (1.0 - p) * observed) * weight};
  }
};

}  // namespace kauri
