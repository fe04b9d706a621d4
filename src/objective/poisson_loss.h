/// \file e^margin - label * margin, the negative log-likelihood of counts with rate e^margin, for count:poisson.
#pragma once

#include "common/math.h"
#include "kauri/gradient.h"
#include "kauri/host_device.h"

namespace kauri {

struct PoissonLoss {
  float max_delta_step;  ///< the true hessian is that of 0; more makes leaves smaller, against runaway rates

  KAURI_HD GradientPair Gradient(float margin, float label, float weight) const {
    return {(ExpFloat(margin) - label) * weight, ExpFloat(margin + max_delta_step) * weight};
  }
};

}  // namespace kauri
