#include "metric/metrics.h"

#include "metric/entries.h"

namespace kauri {

void RegisterMetrics(Registry<MetricFactory>* registry) {
  RegisterElementMetrics(registry);
  RegisterClassMetrics(registry);
  RegisterAreaMetrics(registry);
  RegisterRankMetrics(registry);
}

}  // namespace kauri
