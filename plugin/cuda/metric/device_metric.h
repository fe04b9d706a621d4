/// \file Metrics on the device, with the host's bits: the losses and the order of additions are the host's.
#pragma once

#include <cstdint>
#include <memory>

#include "cuda/common/cuda_context.h"
#include "cuda/data/device_info.h"
#include "kauri/meta_info.h"
#include "kauri/metric.h"

namespace kauri::cuda {

/// A metric on the device. const, shared by threads.
class DeviceMetric {
 public:
  virtual ~DeviceMetric() = default;
  /// Returns whether the device is to compute the metric. False if the host's version is better for these labels,
  /// though they are valid.
  virtual bool Takes(MetaInfo const&) const { return true; }
  /// Returns the metric; waits for it. predictions: [n_rows, n_outputs], device. There must be at least one row, and
  /// Metric::Validate of the host's version must have passed.
  virtual double Evaluate(CudaContext const& cuda, Span<float const> predictions, DeviceInfo const& info) const = 0;
};

/// Returns the device version of `metric`, made from its formula; nullptr if it has none.
std::unique_ptr<DeviceMetric> MakeDeviceMetric(Metric const& metric);

}  // namespace kauri::cuda
