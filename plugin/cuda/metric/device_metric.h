/// \file Metrics on the device, with the host's bits: the losses and the order of additions are the host's.
///
/// MakeMetricVersion makes a device metric of a formula, for each alternative of MetricFormula. Each file of this
/// folder defines some.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "cuda/data/device_info.h"
#include "kauri/meta_info.h"
#include "kauri/metric.h"
#include "metric/formula.h"

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

#define KAURI_DECLARE_VERSION(Loss) std::unique_ptr<DeviceMetric> MakeMetricVersion(Loss const& loss);
KAURI_FOR_EACH_MEAN_LOSS(KAURI_DECLARE_VERSION)
#undef KAURI_DECLARE_VERSION
std::unique_ptr<DeviceMetric> MakeMetricVersion(std::vector<PinballLoss> const& losses);
std::unique_ptr<DeviceMetric> MakeMetricVersion(std::vector<ExpectileDifference> const& losses);
std::unique_ptr<DeviceMetric> MakeMetricVersion(AftLoss const& loss);
std::unique_ptr<DeviceMetric> MakeMetricVersion(InBounds const& loss);
std::unique_ptr<DeviceMetric> MakeMetricVersion(ClassLogLoss const& loss);
std::unique_ptr<DeviceMetric> MakeMetricVersion(ClassError const& loss);
std::unique_ptr<DeviceMetric> MakeMetricVersion(CoxLikelihood const& loss);
std::unique_ptr<DeviceMetric> MakeMetricVersion(Roc const& curve);
std::unique_ptr<DeviceMetric> MakeMetricVersion(PrecisionRecall const& curve);
std::unique_ptr<DeviceMetric> MakeMetricVersion(RankRule const& rule);
inline std::unique_ptr<DeviceMetric> MakeMetricVersion(std::monostate) { return nullptr; }

}  // namespace kauri::cuda
