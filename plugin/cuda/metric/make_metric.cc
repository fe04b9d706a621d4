#include "cuda/metric/make_metric.h"

namespace kauri::cuda {

std::unique_ptr<DeviceMetric> MakeDeviceMetric(Metric const& metric) {
  if (auto made = MakeMeanMetric(metric)) return made;
  if (auto made = MakeAreaMetric(metric)) return made;
  return MakeRankMetric(metric);
}

}  // namespace kauri::cuda
