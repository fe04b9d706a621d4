/// \file How sure a metric is: its values on rows that are drawn anew.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "booster/ready_model.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/meta_info.h"
#include "kauri/metric.h"
#include "kauri/span.h"

namespace kauri {

/// NaN where there is none.
struct Interval {
  double low;
  double high;
};

struct ResamplingOptions {
  std::int64_t n_resamples;
  std::uint64_t seed;
};

/// The percentile interval of the bootstrap (Efron 1979), which holds 95 % of the values on so many drawn sets: as many
/// rows as there are, or queries where there are some, with replacement. A row that is drawn k times is there k times,
/// so that metrics without weights see it; a query has k times its weight. Values that are not finite, as of one class
/// alone, are left out. predictions: as for Metric::Evaluate. \throws Error as Metric::Evaluate.
Interval BootstrapInterval(Context const& ctx, Metric const& metric, Span<float const> predictions,
                           MetaInfo const& info, ResamplingOptions const& options);

/// A metric of a model on some rows.
struct MetricWithInterval {
  std::string name;
  double value;
  Interval interval;  ///< NaN with n_resamples=0
};

/// The model's metrics, in their order, of rows whose values are at hand. The program's `evaluate` and the package's
/// `report` both write what this finds. \throws Error as Predict, ValidateInfo and Metric::Evaluate.
std::vector<MetricWithInterval> EvaluateWithIntervals(ReadyModel const& ready, DataMatrix const& data,
                                                      ResamplingOptions const& options);

}  // namespace kauri
