/// \file Metrics on the device: the host's losses, added in the host's order, so the host's bits.
#pragma once

#include <cstdint>
#include <memory>

#include "cuda/common/cuda_context.h"
#include "cuda/data/device_info.h"
#include "kauri/meta_info.h"
#include "kauri/metric.h"

namespace kauri::cuda {

/// const, shared by threads.
class DeviceMetric {
 public:
  virtual ~DeviceMetric() = default;
  /// False: the host's version is the better one for these labels, though they are valid.
  virtual bool Takes(MetaInfo const&) const { return true; }
  /// After Metric::Validate of the host's version, for one row or more.
  /// predictions: [n_rows, n_outputs], device. Waits for the value.
  virtual double Evaluate(CudaContext const& cuda, Span<float const> predictions, DeviceInfo const& info) const = 0;
};

/// The device version of `metric`, from its formula; nullptr when it has none.
std::unique_ptr<DeviceMetric> MakeDeviceMetric(Metric const& metric);

}  // namespace kauri::cuda
