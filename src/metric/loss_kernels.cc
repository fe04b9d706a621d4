#include "metric/loss_kernels.h"

#include "common/block_sum.h"

// Plain loops that the compiler turns into vector code; narrower targets than these two gain nothing over the baseline.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/loss_kernels.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kauri::HWY_NAMESPACE {

template <typename Loss>
WeightedSum Sum(Loss const loss, LossBlock const& block) {
  constexpr std::int64_t kLanes = 8;
  float losses[kRowBlock];
  for (std::int64_t i = 0; i < block.n; ++i) {
    losses[i] = loss(block.predictions[i], block.labels[i]) * block.weights[i];
  }
  double loss_lanes[kLanes] = {};
  double weight_lanes[kLanes] = {};
  auto const whole = block.n / kLanes * kLanes;
  for (std::int64_t i = 0; i < whole; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      loss_lanes[lane] += static_cast<double>(losses[i + lane]);
      weight_lanes[lane] += static_cast<double>(block.weights[i + lane]);
    }
  }
  for (auto i = whole; i < block.n; ++i) {
    loss_lanes[i - whole] += static_cast<double>(losses[i]);
    weight_lanes[i - whole] += static_cast<double>(block.weights[i]);
  }
  WeightedSum sum;
  for (std::int64_t lane = 0; lane < kLanes; ++lane) sum += WeightedSum{loss_lanes[lane], weight_lanes[lane]};
  return sum;
}

WeightedSum SquaredDifferenceSum(SquaredDifference loss, LossBlock const& block) { return Sum(loss, block); }
WeightedSum AbsoluteDifferenceSum(AbsoluteDifference loss, LossBlock const& block) { return Sum(loss, block); }
WeightedSum LogLossSum(LogLoss loss, LossBlock const& block) { return Sum(loss, block); }
WeightedSum ThresholdErrorSum(ThresholdError loss, LossBlock const& block) { return Sum(loss, block); }
WeightedSum PoissonDevianceSum(PoissonDeviance loss, LossBlock const& block) { return Sum(loss, block); }
WeightedSum SquaredLogDifferenceSum(SquaredLogDifference loss, LossBlock const& block) { return Sum(loss, block); }
WeightedSum RelativeDifferenceSum(RelativeDifference loss, LossBlock const& block) { return Sum(loss, block); }
WeightedSum PseudoHuberDifferenceSum(PseudoHuberDifference loss, LossBlock const& block) { return Sum(loss, block); }
WeightedSum GammaLogLossSum(GammaLogLoss loss, LossBlock const& block) { return Sum(loss, block); }
WeightedSum GammaDevianceSum(GammaDeviance loss, LossBlock const& block) { return Sum(loss, block); }
WeightedSum TweedieLogLossSum(TweedieLogLoss loss, LossBlock const& block) { return Sum(loss, block); }
WeightedSum ClassLogLossSum(ClassLogLoss loss, LossBlock const& block) { return Sum(loss, block); }
WeightedSum ClassErrorSum(ClassError loss, LossBlock const& block) { return Sum(loss, block); }

}  // namespace kauri::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kauri {

HWY_EXPORT(SquaredDifferenceSum);
HWY_EXPORT(AbsoluteDifferenceSum);
HWY_EXPORT(LogLossSum);
HWY_EXPORT(ThresholdErrorSum);
HWY_EXPORT(PoissonDevianceSum);
HWY_EXPORT(SquaredLogDifferenceSum);
HWY_EXPORT(RelativeDifferenceSum);
HWY_EXPORT(PseudoHuberDifferenceSum);
HWY_EXPORT(GammaLogLossSum);
HWY_EXPORT(GammaDevianceSum);
HWY_EXPORT(TweedieLogLossSum);
HWY_EXPORT(ClassLogLossSum);
HWY_EXPORT(ClassErrorSum);

WeightedSum SumLosses(SquaredDifference loss, LossBlock const& block) {
  return HWY_DYNAMIC_DISPATCH(SquaredDifferenceSum)(loss, block);
}
WeightedSum SumLosses(AbsoluteDifference loss, LossBlock const& block) {
  return HWY_DYNAMIC_DISPATCH(AbsoluteDifferenceSum)(loss, block);
}
WeightedSum SumLosses(LogLoss loss, LossBlock const& block) { return HWY_DYNAMIC_DISPATCH(LogLossSum)(loss, block); }
WeightedSum SumLosses(ThresholdError loss, LossBlock const& block) {
  return HWY_DYNAMIC_DISPATCH(ThresholdErrorSum)(loss, block);
}
WeightedSum SumLosses(PoissonDeviance loss, LossBlock const& block) {
  return HWY_DYNAMIC_DISPATCH(PoissonDevianceSum)(loss, block);
}
WeightedSum SumLosses(SquaredLogDifference loss, LossBlock const& block) {
  return HWY_DYNAMIC_DISPATCH(SquaredLogDifferenceSum)(loss, block);
}
WeightedSum SumLosses(RelativeDifference loss, LossBlock const& block) {
  return HWY_DYNAMIC_DISPATCH(RelativeDifferenceSum)(loss, block);
}
WeightedSum SumLosses(PseudoHuberDifference loss, LossBlock const& block) {
  return HWY_DYNAMIC_DISPATCH(PseudoHuberDifferenceSum)(loss, block);
}
WeightedSum SumLosses(GammaLogLoss loss, LossBlock const& block) {
  return HWY_DYNAMIC_DISPATCH(GammaLogLossSum)(loss, block);
}
WeightedSum SumLosses(GammaDeviance loss, LossBlock const& block) {
  return HWY_DYNAMIC_DISPATCH(GammaDevianceSum)(loss, block);
}
WeightedSum SumLosses(TweedieLogLoss loss, LossBlock const& block) {
  return HWY_DYNAMIC_DISPATCH(TweedieLogLossSum)(loss, block);
}
WeightedSum SumLosses(ClassLogLoss loss, LossBlock const& block) {
  return HWY_DYNAMIC_DISPATCH(ClassLogLossSum)(loss, block);
}
WeightedSum SumLosses(ClassError loss, LossBlock const& block) {
  return HWY_DYNAMIC_DISPATCH(ClassErrorSum)(loss, block);
}

}  // namespace kauri
#endif
