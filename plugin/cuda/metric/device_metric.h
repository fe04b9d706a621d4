/// \file Metrics on the device: the host's losses, added in the host's order, so the host's bits.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cuda/common/cuda_context.h"
#include "cuda/data/device_info.h"
#include "kauri/meta_info.h"
#include "kauri/metric.h"

namespace kauri::cuda {

/// const, shared by threads.
class DeviceMetric {
 public:
  virtual ~DeviceMetric() = default;
  /// Whether labels and predictions [n_rows, n_outputs] are what the metric is for. If not, the host's version has the
  /// words for the error. May look at every label.
  virtual bool Fits(MetaInfo const& info, std::int64_t n_outputs) const = 0;
  /// Parameters that Fits depends on, as text; with the metric's name it says which answers are the same.
  virtual std::string FitsBy() const { return {}; }
  /// predictions: [n_rows, n_outputs], device. Waits for the value.
  virtual double Evaluate(CudaContext const& cuda, Span<float const> predictions, DeviceInfo const& info) const = 0;
};

/// The device version of `metric`, by its name and argument; nullptr when there is none.
std::unique_ptr<DeviceMetric> MakeDeviceMetric(Metric const& metric);

}  // namespace kauri::cuda
