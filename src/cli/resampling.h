/// \file How sure a metric is: its values on rows that are drawn anew.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/meta_info.h"
#include "kauri/metric.h"
#include "kauri/span.h"

namespace kauri::cli {

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
/// rows as there are, or queries where there are some, with replacement. A row that is drawn k times has k times its
/// weight. Values that are not finite, as of one class alone, are left out. predictions: as for Metric::Evaluate.
/// \throws Error as Metric::Evaluate, also for a metric that takes no weights.
Interval BootstrapInterval(Context const& ctx, Metric const& metric, Span<float const> predictions,
                           MetaInfo const& info, ResamplingOptions const& options);

}  // namespace kauri::cli
