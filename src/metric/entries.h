/// \file What each file of this folder adds to the registry.
#pragma once

#include "kauri/registry.h"

namespace kauri {

void RegisterElementMetrics(Registry<MetricFactory>* registry);  ///< rmse to tweedie-nloglik: one prediction, one label
void RegisterAlphaMetrics(Registry<MetricFactory>* registry);    ///< quantile, expectile
void RegisterSurvivalMetrics(Registry<MetricFactory>* registry);  ///< cox-nloglik, aft-nloglik and the accuracy
void RegisterClassMetrics(Registry<MetricFactory>* registry);     ///< merror, mlogloss
void RegisterAreaMetrics(Registry<MetricFactory>* registry);      ///< auc, aucpr
void RegisterRankMetrics(Registry<MetricFactory>* registry);      ///< ndcg, map, pre

}  // namespace kauri
