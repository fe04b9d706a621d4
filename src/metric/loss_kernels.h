/// \file Weighted sums of losses over contiguous elements, compiled for several vector widths and chosen at run time.
/// Every width gives the same bits: the losses are elementwise, and they are added up in eight fixed lanes.
#pragma once

#include <cstdint>

#include "metric/element_losses.h"
#include "metric/weighted_sum.h"

namespace kauri {

/// n elements, at most kRowBlock.
struct LossBlock {
  float const* predictions;
  float const* labels;
  float const* weights;
  std::int64_t n;
};

/// sum of loss(prediction, label) * weight, the product in float32; element i is added to lane i % 8, then the lanes in
/// order.
WeightedSum SumLosses(SquaredDifference loss, LossBlock const& block);
WeightedSum SumLosses(AbsoluteDifference loss, LossBlock const& block);
WeightedSum SumLosses(LogLoss loss, LossBlock const& block);
WeightedSum SumLosses(ThresholdError loss, LossBlock const& block);
WeightedSum SumLosses(PoissonDeviance loss, LossBlock const& block);
WeightedSum SumLosses(SquaredLogDifference loss, LossBlock const& block);
WeightedSum SumLosses(RelativeDifference loss, LossBlock const& block);
WeightedSum SumLosses(PseudoHuberDifference loss, LossBlock const& block);
WeightedSum SumLosses(GammaLogLoss loss, LossBlock const& block);
WeightedSum SumLosses(GammaDeviance loss, LossBlock const& block);
WeightedSum SumLosses(TweedieLogLoss loss, LossBlock const& block);
WeightedSum SumLosses(ClassLogLoss loss, LossBlock const& block);
WeightedSum SumLosses(ClassError loss, LossBlock const& block);

}  // namespace kauri
