/// \file The table of metrics.
///
/// How to add a metric that is a mean over elements, in two places:
/// (1) the struct of its loss in element_losses.h, whose head lists the members of a loss;
/// (2) a line ELEMENT(<struct>) below.
/// These produce its entry in the registry with its parameters, its checks, its loops for every vector width of the
/// host, and its kernels for CUDA devices.
///
/// Other metrics have their own classes, a function Register<Name>, and a line OTHER(<Name>). A metric has a version
/// for devices if its Formula() is an alternative of formula.h for which the plug-in has kernels.
#pragma once

#include "kauri/metric.h"
#include "kauri/registry.h"

/// This is the order of the printed list.
#define KAURI_METRICS(ELEMENT, OTHER) \
  ELEMENT(SquaredDifference)          \
  ELEMENT(AbsoluteDifference)         \
  ELEMENT(LogLoss)                    \
  ELEMENT(ThresholdError)             \
  ELEMENT(PoissonDeviance)            \
  ELEMENT(SquaredLogDifference)       \
  ELEMENT(RelativeDifference)         \
  ELEMENT(PseudoHuberDifference)      \
  ELEMENT(HuberDifference)            \
  ELEMENT(FairDifference)             \
  ELEMENT(FocalDifference)            \
  ELEMENT(ExponentialDifference)      \
  ELEMENT(GammaLogLoss)               \
  ELEMENT(GammaDeviance)              \
  ELEMENT(TweedieLogLoss)             \
  OTHER(AlphaMetrics)                 \
  OTHER(SurvivalMetrics)              \
  OTHER(ClassMetrics)                 \
  OTHER(AreaMetrics)                  \
  OTHER(AucMu)                        \
  OTHER(MedianSignificance)           \
  OTHER(Determination)                \
  OTHER(RankMetrics)                  \
  OTHER(DistributionMetrics)

#define KAURI_NO_METRIC(Name)

/// Expands DO(Loss) for every loss of an elementwise metric.
#define KAURI_FOR_EACH_MEAN_LOSS(DO) KAURI_METRICS(DO, KAURI_NO_METRIC)

namespace kauri {

#define KAURI_DECLARE_METRICS(Name) void Register##Name(Registry<MetricFactory>* registry);
KAURI_METRICS(KAURI_NO_METRIC, KAURI_DECLARE_METRICS)
#undef KAURI_DECLARE_METRICS

void RegisterMetrics(Registry<MetricFactory>* registry);

}  // namespace kauri
