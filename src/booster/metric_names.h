/// \file Metrics by their names, and which way they are to go.
#pragma once

#include <memory>
#include <string>

#include "booster/components.h"
#include "kauri/metric.h"
#include "kauri/parameter.h"

namespace kauri {

/// A metric by its name, error or error@0.7. \throws Error(kParameter) when it is not known, takes no argument, or not
/// this one.
std::unique_ptr<Metric> MakeMetric(std::string const& name, ParamMap const& params);

/// Whether larger values of the metric are better. A name that no metric has (one of the user's own) goes the way of
/// the metric whose name it begins with; without one, smaller is better.
bool HigherIsBetter(Components const& parts, std::string const& metric);

}  // namespace kauri
