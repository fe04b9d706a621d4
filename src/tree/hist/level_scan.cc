#include "tree/hist/level_scan.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/hist/level_scan.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kauri {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using LevelGains = hn::CappedTag<double, 8>;
using LevelSums = hn::RebindToSigned<LevelGains>;

#if HWY_TARGET != HWY_SCALAR

/// Returns QuotientGain of sums in float64. The sign of the thresholded gradient does not matter.
template <typename V>
HWY_INLINE V Quotient(GainParam const& param, V gradient, V hessian) {
  LevelGains const d;
  auto const beyond = hn::Max(hn::Sub(hn::Abs(gradient), hn::Set(d, param.alpha)), hn::Zero(d));
  return hn::Div(hn::Mul(beyond, beyond), hn::Add(hessian, hn::Set(d, param.lambda)));
}

/// Processes one boundary per vector lane, starting at boundary `first`.
HWY_INLINE void AddVector(GainParam const& param, BinBoundaries const& boundaries, double gamma, std::int64_t first,
                          double* scores) {
  LevelGains const d;
  LevelSums const di;
  auto left_g = hn::Undefined(di);
  auto left_h = hn::Undefined(di);
  hn::LoadInterleaved2(di, reinterpret_cast<std::int64_t const*>(boundaries.left + first), left_g, left_h);
  left_g = hn::Add(left_g, hn::Set(di, boundaries.offset.gradient));
  left_h = hn::Add(left_h, hn::Set(di, boundaries.offset.hessian));
  auto const right_g = hn::Sub(hn::Set(di, boundaries.total.gradient), left_g);
  auto const right_h = hn::Sub(hn::Set(di, boundaries.total.hessian), left_h);

  auto const unit_h = hn::Set(d, param.unit.hessian);
  auto const hessian_l = hn::Mul(hn::ConvertTo(d, left_h), unit_h);
  auto const hessian_r = hn::Mul(hn::ConvertTo(d, right_h), unit_h);
  // A hessian of at least one fixed-point step is positive.
  auto const min_hessian = hn::Set(d, std::max(param.min_child_weight, param.unit.hessian));
  auto const mask = hn::And(hn::Ge(hessian_l, min_hessian), hn::Ge(hessian_r, min_hessian));
  if (hn::AllFalse(d, mask)) return;

  auto const unit_g = hn::Set(d, param.unit.gradient);
  auto const gain = hn::Add(Quotient(param, hn::Mul(hn::ConvertTo(d, left_g), unit_g), hessian_l),
                            Quotient(param, hn::Mul(hn::ConvertTo(d, right_g), unit_g), hessian_r));
  auto const loss = hn::Sub(hn::Sub(gain, hn::Set(d, boundaries.node_gain)), hn::Set(d, gamma));
  auto const before = hn::LoadU(d, scores + first);
  hn::StoreU(hn::IfThenElse(mask, hn::Add(before, loss), before), d, scores + first);
}

#endif  // HWY_TARGET != HWY_SCALAR

void AddLosses(GainParam const& param, BinBoundaries const& boundaries, double gamma, double* scores) {
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  auto const lanes = static_cast<std::int64_t>(hn::Lanes(LevelGains()));
  auto const in_vectors = GainIsQuotient(param) ? boundaries.n : 0;
  for (; i + lanes <= in_vectors; i += lanes) AddVector(param, boundaries, gamma, i, scores);
#endif
  for (; i < boundaries.n; ++i) {
    auto const loss = LossOfBoundary(param, boundaries, boundaries.left[i] + boundaries.offset);
    if (loss != -kInfinity) scores[i] += loss - gamma;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kauri
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kauri {

HWY_EXPORT(AddLosses);

void AddLosses(GainParam const& param, BinBoundaries const& boundaries, double gamma, double* scores) {
  HWY_DYNAMIC_DISPATCH(AddLosses)(param, boundaries, gamma, scores);
}

}  // namespace kauri
#endif  // HWY_ONCE
