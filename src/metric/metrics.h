/// \file The metrics of this folder, for the table of contents.
#pragma once

#include "kauri/metric.h"
#include "kauri/registry.h"

namespace kauri {

void RegisterMetrics(Registry<MetricFactory>* registry);

}  // namespace kauri
