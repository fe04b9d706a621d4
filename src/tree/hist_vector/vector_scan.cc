#include "tree/hist_vector/vector_scan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/hist_vector/vector_scan.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kauri {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Gains = hn::CappedTag<double, kBoundaryBlock>;
using Sums = hn::RebindToSigned<Gains>;

/// Processes the boundaries one by one with the shared formulas.
void AddOneByOne(GainParam const& param, OutputBoundaries const& boundaries, BoundarySums const& sums) {
  for (std::int64_t i = 0; i < boundaries.n; ++i) {
    auto const left = FixedSum{boundaries.gradient[i], boundaries.hessian[i]} + boundaries.offset;
    auto const right = boundaries.total - left;
    sums.gain[i] += OutputSplitGain(left, right, param, boundaries.bounds, boundaries.sign);
    sums.hessian_left[i] += HessianOf(left, param);
    sums.hessian_right[i] += HessianOf(right, param);
  }
}

#if HWY_TARGET != HWY_SCALAR

/// Returns LeafGain of sums in float64.
template <typename V>
HWY_INLINE V QuotientGain(V gradient, V hessian, V alpha, V lambda) {
  Gains const d;
  auto const shrunk = hn::Max(hn::Sub(hn::Abs(gradient), alpha), hn::Zero(d));
  auto const quotient = hn::Div(hn::Mul(shrunk, shrunk), hn::Add(hessian, lambda));
  return hn::IfThenElseZero(hn::Gt(hessian, hn::Zero(d)), quotient);
}

template <typename V>
HWY_INLINE void Accumulate(V value, double* sum) {
  Gains const d;
  hn::StoreU(hn::Add(hn::LoadU(d, sum), value), d, sum);
}

void AddQuotients(GainParam const& param, OutputBoundaries const& boundaries, BoundarySums const& sums) {
  Gains const d;
  Sums const di;
  auto const alpha = hn::Set(d, param.alpha);
  auto const lambda = hn::Set(d, param.lambda);
  auto const unit_g = hn::Set(d, param.unit.gradient);
  auto const unit_h = hn::Set(d, param.unit.hessian);
  for (std::int64_t i = 0; i < boundaries.n; i += static_cast<std::int64_t>(hn::Lanes(d))) {
    auto const left_g = hn::Add(hn::LoadU(di, boundaries.gradient + i), hn::Set(di, boundaries.offset.gradient));
    auto const left_h = hn::Add(hn::LoadU(di, boundaries.hessian + i), hn::Set(di, boundaries.offset.hessian));
    auto const right_g = hn::Sub(hn::Set(di, boundaries.total.gradient), left_g);
    auto const right_h = hn::Sub(hn::Set(di, boundaries.total.hessian), left_h);
    auto const hessian_l = hn::Mul(hn::ConvertTo(d, left_h), unit_h);
    auto const hessian_r = hn::Mul(hn::ConvertTo(d, right_h), unit_h);
    auto const gain_l = QuotientGain(hn::Mul(hn::ConvertTo(d, left_g), unit_g), hessian_l, alpha, lambda);
    auto const gain_r = QuotientGain(hn::Mul(hn::ConvertTo(d, right_g), unit_g), hessian_r, alpha, lambda);
    Accumulate(hn::Add(gain_l, gain_r), sums.gain + i);
    Accumulate(hessian_l, sums.hessian_left + i);
    Accumulate(hessian_r, sums.hessian_right + i);
  }
}

#endif  // HWY_TARGET != HWY_SCALAR

void AddOutput(GainParam const& param, OutputBoundaries const& boundaries, BoundarySums const& sums) {
#if HWY_TARGET != HWY_SCALAR
  if (GainIsQuotient(param)) {
    AddQuotients(param, boundaries, sums);
    return;
  }
#endif
  AddOneByOne(param, boundaries, sums);
}

}  // namespace HWY_NAMESPACE
}  // namespace kauri
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kauri {

HWY_EXPORT(AddOutput);

void AddOutput(GainParam const& param, OutputBoundaries const& boundaries, BoundarySums const& sums) {
  HWY_DYNAMIC_DISPATCH(AddOutput)(param, boundaries, sums);
}

}  // namespace kauri
#endif  // HWY_ONCE
