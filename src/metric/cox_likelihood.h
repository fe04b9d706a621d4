/// \file Code of cox-nloglik that host and device share; the host's loop is in survival_metrics.cc.
#pragma once

#include "common/math.h"
#include "kauri/host_device.h"

namespace kauri {

/// The negative logarithm of Cox's partial likelihood with Breslow's treatment of ties, per event. A row with label y
/// had its event at time y if y > 0, and was last seen without it at time -y otherwise. Predictions are hazard ratios.
/// Weights are not read, as in XGBoost.
struct CoxLikelihood {
  /// Returns the loss of an event. risk: the sum of the predictions of all rows with the same or a later time.
  KAURI_HD static double Loss(double risk, float prediction) {
    return Log(risk) - Log(static_cast<double>(prediction));
  }
  KAURI_HD static bool IsEvent(float label) { return label > 0.0F; }
};

}  // namespace kauri
