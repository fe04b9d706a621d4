/// \file The formula of a metric, as a value: all information that a device needs for its own version.
#pragma once

#include <variant>
#include <vector>

#include "common/loss/aft_loss.h"
#include "metric/area_curves.h"
#include "metric/cox_likelihood.h"
#include "metric/element_losses.h"
#include "metric/metric_table.h"
#include "metric/rank_rules.h"

namespace kauri {

/// Devices have kernels for each alternative except the first, which only the host computes. std::vector: one loss for
/// each output.
struct MetricFormula {
#define KAURI_ALTERNATIVE(Loss) , Loss
  std::variant<std::monostate KAURI_FOR_EACH_MEAN_LOSS(KAURI_ALTERNATIVE), std::vector<PinballLoss>,
               std::vector<ExpectileDifference>, AftLoss, InBounds, CoxLikelihood, ClassLogLoss, ClassError, Roc,
               PrecisionRecall, RankRule>
      value;
#undef KAURI_ALTERNATIVE
};

}  // namespace kauri
