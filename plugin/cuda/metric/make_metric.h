/// \file The function that makes a device metric of a formula, for each alternative of MetricFormula. Each file of this
/// folder defines some.
#pragma once

#include <memory>
#include <vector>

#include "cuda/metric/device_metric.h"
#include "metric/formula.h"

namespace kauri::cuda {

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
