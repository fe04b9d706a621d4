/// \file Metrics in configuration documents: their names and parameters. XGBoost's reader requires the parameters of
/// metrics that have some.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "booster/config/components.h"
#include "kauri/parameter.h"

namespace kauri {

/// Returns a list of objects: {"name": "aft-nloglik", "aft_loss_param": {"aft_loss_distribution": "normal", ..}}.
std::string MetricsAsJson(Components const& parts);

/// Returns the parameters of all metrics of another library's document. Parameters of a rank metric that concern pairs
/// follow from the metric's name, so they are omitted. learner: the document's member of that name.
ParamMap ParamsOfMetrics(nlohmann::json const& learner);

}  // namespace kauri
