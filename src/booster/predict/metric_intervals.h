/// \file Confidence intervals of metrics, by resampling rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "booster/model/ready_model.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/meta_info.h"
#include "kauri/metric.h"
#include "kauri/span.h"

namespace kauri {

/// Bounds of an interval; NaN if there is none.
struct Interval {
  double low;
  double high;
};

struct ResamplingOptions {
  std::int64_t n_resamples;
  std::uint64_t seed;
};

/// Returns the percentile interval of the bootstrap (Efron 1979), which holds 95 % of the values on `n_resamples` drawn
/// sets. A set has the data's number of rows, or of queries if there are some, drawn with replacement. A row drawn k
/// times is repeated k times, so that metrics without weights see it; a query gets k times its weight. Values that are
/// not finite, for example with one class only, are ignored. predictions: as for Metric::Evaluate. \throws Error as
/// Metric::Evaluate.
Interval BootstrapInterval(Context const& ctx, Metric const& metric, Span<float const> predictions,
                           MetaInfo const& info, ResamplingOptions const& options);

/// A metric of a model on some rows.
struct MetricWithInterval {
  std::string name;
  double value;
  Interval interval;  ///< NaN with n_resamples=0
};

/// Returns the model's metrics, in their order, on rows whose values are in memory. The program's `evaluate` and the
/// package's `report` both print this result. \throws Error as Predict, ValidateInfo and Metric::Evaluate.
std::vector<MetricWithInterval> EvaluateWithIntervals(ReadyModel const& ready, DataMatrix const& data,
                                                      ResamplingOptions const& options);

}  // namespace kauri
