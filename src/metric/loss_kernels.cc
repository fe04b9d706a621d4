#include "metric/loss_kernels.h"

#include "common/sums.h"

// Plain loops that the compiler vectorises. Narrower targets than these two gain nothing over the baseline.
#ifndef HWY_DISABLED_TARGETS  // builds with sanitizers disable more
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#endif
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

#define KAURI_DEFINE_SUM(Loss) \
  WeightedSum Loss##Sum(Loss loss, LossBlock const& block) { return Sum(loss, block); }
KAURI_FOR_EACH_LOSS(KAURI_DEFINE_SUM)
#undef KAURI_DEFINE_SUM

}  // namespace kauri::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kauri {

#define KAURI_DISPATCH_SUM(Loss) \
  HWY_EXPORT(Loss##Sum);         \
  WeightedSum SumLosses(Loss loss, LossBlock const& block) { return HWY_DYNAMIC_DISPATCH(Loss##Sum)(loss, block); }
KAURI_FOR_EACH_LOSS(KAURI_DISPATCH_SUM)

}  // namespace kauri
#endif
