/// \file The formula of a metric, as a value: all information that a device needs for its own version.
///
/// RankRule has the terms of ndcg, map and pre: the terms of places of a ranked group, and the score of a group. Host
/// and device.
///
/// Places count from 0; only the first `top` count. A group without a relevant row, such as an empty one, has no order
/// to judge: it scores `without_relevant`.
///
/// CoxLikelihood has the code of cox-nloglik that host and device share; the host's loop is in survival_metrics.cc.
#pragma once

#include <cmath>
#include <cstdint>
#include <variant>
#include <vector>

#include "common/loss/aft_loss.h"
#include "common/loss/rank_discount.h"
#include "common/math.h"
#include "common/sums.h"
#include "kauri/host_device.h"
#include "metric/area_curves.h"
#include "metric/element_losses.h"
#include "metric/metric_table.h"

namespace kauri {

struct RankRule {
  enum class Kind : std::int32_t { kNdcg, kMap, kPre };

  Kind kind = Kind::kNdcg;
  std::int64_t top = 32;  ///< XGBoost's default, if the metric's name gives no number
  double without_relevant = 1.0;
  bool exponential = true;  ///< ndcg: a label y gains 2^y - 1 instead of y

  /// Returns whether the rule is defined for the label.
  bool Takes(float label) const {
    if (kind != Kind::kNdcg) return label == 0.0F || label == 1.0F;
    return !exponential || (label >= 0.0F && label <= 31.0F && std::floor(label) == label);
  }
  /// Returns the number of rows that count in a group of n.
  KAURI_HD std::int64_t Top(std::int64_t n) const { return n < top ? n : top; }
  KAURI_HD double Gain(float label) const {
    return exponential ? static_cast<double>((std::uint32_t{1} << static_cast<std::uint32_t>(label)) - 1U)
                       : static_cast<double>(label);
  }

  /// dcg, ideal: sums of Gain(label) * RankDiscount(place) in the order of predictions and of labels. Groups without a
  /// relevant row count regardless of their weight, as in XGBoost.
  KAURI_HD WeightedSum NdcgScore(double dcg, double ideal, double weight) const {
    return {ideal > 0.0 ? dcg / ideal * weight : without_relevant, weight};
  }
  /// precisions: sum of MapValue over the places; n_relevant: relevant rows in the whole group.
  KAURI_HD WeightedSum MapScore(double precisions, std::int64_t n_relevant, double weight) const {
    return {(n_relevant > 0 ? precisions / static_cast<double>(Top(n_relevant)) : without_relevant) * weight, weight};
  }
  /// n_found: relevant rows among the first `top` of n.
  KAURI_HD WeightedSum PreScore(double n_found, std::int64_t n, double weight) const {
    return {n > 0 ? n_found / static_cast<double>(Top(n)) * weight : 0.0, weight};
  }
};

/// Returns the precision at a relevant place, 0 at other places. n_found: relevant rows up to and including this place.
KAURI_HD double MapValue(float label, std::int64_t n_found, std::int64_t place) {
  return label > 0.0F ? static_cast<double>(n_found) / static_cast<double>(place + 1) : 0.0;
}

/// Returns the mean over groups, at most 1. Groups that count regardless of their weight could make it larger.
inline double RankMean(WeightedSum const& groups) { return groups.Mean() > 1.0 ? 1.0 : groups.Mean(); }

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
