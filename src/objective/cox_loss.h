/// \file Code of survival:cox that host and device share; cox.cc describes the algorithm.
#pragma once

#include "common/math.h"
#include "kauri/context.h"
#include "kauri/gradient.h"
#include "kauri/host_device.h"

namespace kauri {

/// Sums of 1 / risk and 1 / risk^2 over the events so far, or the terms of one event.
struct EventSums {
  double inverse = 0.0;
  double inverse_square = 0.0;
};

struct CoxLoss {
  KAURI_HD static bool IsEvent(float label) { return label > 0.0F; }
  /// Returns the hazard relative to the hazard of the largest margin.
  KAURI_HD static double Hazard(float margin, float largest) {
    return Exp(static_cast<double>(margin) - static_cast<double>(largest));
  }
  KAURI_HD static EventSums OfEvent(double risk) { return {1.0 / risk, 1.0 / (risk * risk)}; }
  /// sums: over the events up to and including the row's time.
  KAURI_HD static GradientPair Gradient(double hazard, bool has_event, EventSums const& sums, float weight) {
    double const expected = hazard * sums.inverse;
    double const gradient = expected - (has_event ? 1.0 : 0.0);
    double const hessian = expected - hazard * hazard * sums.inverse_square;
    auto const factor = static_cast<double>(weight);
    return {static_cast<float>(gradient * factor), static_cast<float>((hessian < 0.0 ? 0.0 : hessian) * factor)};
  }
};

/// \throws Error(kData) with several ranks.
void RequireAllRowsAtRisk(Context const& ctx);

}  // namespace kauri
