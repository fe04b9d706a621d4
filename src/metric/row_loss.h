/// \file The value of a mean-over-rows metric for a single row; for a root of a mean, without the root. Weights are
/// ignored.
#pragma once

#include <cstdint>

#include "kauri/meta_info.h"
#include "kauri/metric.h"
#include "metric/formula.h"

namespace kauri {

class RowLoss {
 public:
  /// info: metadata of the rows; must outlive this object. \throws Error(kData) as Metric::Validate; Error(kParameter)
  /// for metrics that are not means over rows.
  RowLoss(Metric const& metric, MetaInfo const& info, std::int64_t n_outputs);

  /// Returns the loss of a row. predictions: [n_outputs] of a row with the label of `row`. If each output has a loss,
  /// returns the mean over the outputs with known labels, or 0 if there are none.
  double Of(std::int64_t row, float const* predictions) const;

 private:
  MetricFormula formula_;
  MetaInfo const& info_;
  std::int64_t n_outputs_;
};

}  // namespace kauri
