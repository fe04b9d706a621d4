/// \file What a metric computes, as a value: all that a device needs to have a version of it.
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

/// A device has kernels for each alternative but the first: there, only the host computes. std::vector: an output for
/// each.
struct MetricFormula {
#define KAURI_ALTERNATIVE(Loss) , Loss
  std::variant<std::monostate KAURI_FOR_EACH_MEAN_LOSS(KAURI_ALTERNATIVE), std::vector<PinballLoss>,
               std::vector<ExpectileDifference>, AftLoss, InBounds, CoxLikelihood, ClassLogLoss, ClassError, Roc,
               PrecisionRecall, RankRule>
      value;
#undef KAURI_ALTERNATIVE
};

}  // namespace kauri
