/// \file Metrics by name, whether lower or higher values are better, and the names and parameters of metrics in
/// configuration documents. XGBoost's reader requires the parameters of metrics that have some.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "booster/config/components.h"
#include "kauri/meta_info.h"
#include "kauri/metric.h"
#include "kauri/parameter.h"

namespace kauri {

/// Creates a metric by its name, error or error@0.7. \throws Error(kParameter) for an unknown metric, an argument to a
/// metric that takes none, or an invalid argument.
std::unique_ptr<Metric> MakeMetric(std::string const& name, ParamMap const& params);

enum class MetricDirection { kUnknown, kLower, kHigher };

/// Returns which values of a metric are better. Only the whole name of a built-in metric counts, with or without its
/// argument after '@': a user-defined metric is kUnknown whatever its name begins with.
MetricDirection DirectionOf(Components const& parts, std::string const& metric);

/// Checks that rows have queries if a metric ranks the rows of a query. Training and evaluation treat all rows as one
/// query instead, as XGBoost does; such a value says little about the model, so reports call this check. \throws
/// Error(kData).
void RequireQueries(Components const& parts, MetaInfo const& info);

/// Returns a list of objects: {"name": "aft-nloglik", "aft_loss_param": {"aft_loss_distribution": "normal", ..}}.
std::string MetricsAsJson(Components const& parts);

/// Returns the parameters of all metrics of another library's document. Parameters of a rank metric that concern pairs
/// follow from the metric's name, so they are omitted. learner: the document's member of that name.
ParamMap ParamsOfMetrics(nlohmann::json const& learner);

}  // namespace kauri
