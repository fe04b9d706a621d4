/// \file Metrics by their names, and which way they are to go.
#pragma once

#include <memory>
#include <string>

#include "booster/components.h"
#include "kauri/meta_info.h"
#include "kauri/metric.h"
#include "kauri/parameter.h"

namespace kauri {

/// A metric by its name, error or error@0.7. \throws Error(kParameter) when it is not known, takes no argument, or not
/// this one.
std::unique_ptr<Metric> MakeMetric(std::string const& name, ParamMap const& params);

enum class MetricDirection { kUnknown, kLower, kHigher };

/// Returns which values of a metric are better. Only the whole name of a built-in metric counts, with or without what
/// follows its '@': a metric of the user's own is kUnknown whatever its name begins with.
MetricDirection DirectionOf(Components const& parts, std::string const& metric);

/// Checks that rows have queries where one of the metrics orders the rows of a query. Training and evaluation take all
/// rows for one query there, as XGBoost does, whose value says little of the model; what reports on a model asks this.
/// \throws Error(kData).
void RequireQueries(Components const& parts, MetaInfo const& info);

}  // namespace kauri
