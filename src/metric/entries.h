/// \file What each file of this folder adds to the registry.
#pragma once

#include "kauri/registry.h"

namespace kauri {

void RegisterElementMetrics(Registry<MetricFactory>* registry);  ///< rmse to tweedie-nloglik: one prediction, one label
void RegisterClassMetrics(Registry<MetricFactory>* registry);    ///< merror, mlogloss
void RegisterAreaMetrics(Registry<MetricFactory>* registry);     ///< auc, aucpr
void RegisterRankMetrics(Registry<MetricFactory>* registry);     ///< ndcg, map, pre

}  // namespace kauri
