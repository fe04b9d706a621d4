#include "metric/metrics.h"

#include "metric/entries.h"

namespace kauri {

void RegisterMetrics(Registry<MetricFactory>* registry) {
  RegisterElementMetrics(registry);
  RegisterAlphaMetrics(registry);
  RegisterSurvivalMetrics(registry);
  RegisterClassMetrics(registry);
  RegisterAreaMetrics(registry);
  RegisterRankMetrics(registry);
}

}  // namespace kauri
