#include "cuda/metric/device_metric.h"

namespace kauri::cuda {

std::unique_ptr<DeviceMetric> MakeDeviceMetric(Metric const& metric) {
  return std::visit([](auto const& formula) { return MakeMetricVersion(formula); }, metric.Formula().value);
}

}  // namespace kauri::cuda
