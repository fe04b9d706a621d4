/// \file What a metric that is a mean over rows says of one row; of a root of a mean, without the root. Weights play no
/// part.
#pragma once

#include <cstdint>

#include "kauri/meta_info.h"
#include "kauri/metric.h"
#include "metric/formula.h"

namespace kauri {

class RowLoss {
 public:
  /// info: of the rows, and must outlive it. \throws Error(kData) as Metric::Validate; Error(kParameter) for metrics
  /// that are no mean over rows.
  RowLoss(Metric const& metric, MetaInfo const& info, std::int64_t n_outputs);

  /// predictions: [n_outputs] of a row with the label of `row`; the mean over outputs where each has a loss,
  /// of those whose labels are known; 0 where none is.
  double Of(std::int64_t row, float const* predictions) const;

 private:
  MetricFormula formula_;
  MetaInfo const& info_;
  std::int64_t n_outputs_;
};

}  // namespace kauri
