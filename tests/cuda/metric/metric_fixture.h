/// \file Code shared by the tests of device metrics.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "cuda/metric/device_metric.h"
#include "kauri/metric.h"
#include "support/device_fixture.h"

namespace kauri::testing {

/// Makes a metric. name: with its argument, as users write it.
inline std::unique_ptr<Metric> MakeMetric(std::string const& name, ParamMap const& params = {}) {
  auto const at = name.find('@');
  auto const argument = at == std::string::npos ? std::string() : name.substr(at + 1);
  return GetRegistries().metrics.Find(name.substr(0, at)).make(argument, params);
}

struct MetricData {
  MetaInfo info;
  std::vector<float> predictions;
};

class DeviceMetricTest : public DeviceTest {
 protected:
  void ExpectTheHostsBits(std::string const& name, MetricData const& data, std::int64_t n_outputs,
                          ParamMap const& params = {}) const {
    auto const metric = MakeMetric(name, params);
    auto const on_device = cuda::MakeDeviceMetric(*metric);
    ASSERT_NE(on_device, nullptr) << name;
    ASSERT_NO_THROW(metric->Validate(data.info, n_outputs)) << name;
    ASSERT_TRUE(on_device->Takes(data.info)) << name;
    auto const labels = cuda::ToDevice(Cuda(), data.info.labels);
    auto const weights = cuda::ToDevice(Cuda(), data.info.weights);
    auto const groups = cuda::ToDevice(Cuda(), data.info.group_ptr);
    auto const predictions = cuda::ToDevice(Cuda(), data.predictions);
    auto const lower = cuda::ToDevice(Cuda(), data.info.label_lower_bound);
    auto const upper = cuda::ToDevice(Cuda(), data.info.label_upper_bound);
    auto const value = on_device->Evaluate(Cuda(), predictions.span(),
                                           {data.info.n_rows, data.info.n_targets, labels.span(), weights.span(),
                                            groups.span(), lower.span(), upper.span()});
    auto const expected = metric->Evaluate(Context{}, data.predictions, data.info);
    if (std::isnan(expected) && std::isnan(value)) return;
    EXPECT_EQ(std::memcmp(&value, &expected, sizeof(value)), 0)
        << name << ": " << value << " and " << expected << ", " << data.info.n_rows << " rows";
  }
};

}  // namespace kauri::testing
