/// \file Metrics in configuration documents: their names, and the parameters that they are made with.
/// XGBoost's reader asks for the parameters of the metrics that have some.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "booster/components.h"
#include "kauri/parameter.h"

namespace kauri {

/// A list of objects: {"name": "aft-nloglik", "aft_loss_param": {"aft_loss_distribution": "normal", ..}}.
std::string MetricsAsJson(Components const& parts);

/// The parameters of all metrics of another library's document. The pairs that a rank metric's parameters speak of
/// follow from the metric's name, so they are left out. learner: the document's member of that name.
ParamMap ParamsOfMetrics(nlohmann::json const& learner);

}  // namespace kauri
