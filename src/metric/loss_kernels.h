/// \file Weighted sums of losses over contiguous elements, compiled for several vector widths and chosen at run time.
/// Every width gives the same bits: the losses are elementwise, and they are added up in eight fixed lanes.
#pragma once

#include <cstdint>

#include "common/sums.h"
#include "metric/element_losses.h"
#include "metric/metric_table.h"

namespace kauri {

/// A block of n elements, at most kRowBlock.
struct LossBlock {
  float const* predictions;
  float const* labels;
  float const* weights;
  std::int64_t n;
};

/// Expands DO(Loss) for every loss that has a kernel.
#define KAURI_FOR_EACH_LOSS(DO) \
  KAURI_FOR_EACH_MEAN_LOSS(DO)  \
  DO(ClassLogLoss)              \
  DO(ClassError)

/// WeightedSum SumLosses(Loss loss, LossBlock const& block): returns the sum of loss(prediction, label) * weight, with
/// the product in float32. Element i is added to lane i % 8, then the lanes are added in order.
#define KAURI_DECLARE_SUM(Loss) WeightedSum SumLosses(Loss loss, LossBlock const& block);
KAURI_FOR_EACH_LOSS(KAURI_DECLARE_SUM)
#undef KAURI_DECLARE_SUM

}  // namespace kauri
