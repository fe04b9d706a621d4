/// \file What each file of this folder makes of a host metric; nullptr for metrics that are not its own.
#pragma once

#include <memory>

#include "cuda/metric/device_metric.h"

namespace kauri::cuda {

std::unique_ptr<DeviceMetric> MakeMeanMetric(Metric const& metric);  ///< rmse, logloss, merror ...
std::unique_ptr<DeviceMetric> MakeAreaMetric(Metric const& metric);  ///< auc, aucpr
std::unique_ptr<DeviceMetric> MakeRankMetric(Metric const& metric);  ///< ndcg, map, pre

}  // namespace kauri::cuda
