#include "tree/histogram/bin_scan.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/histogram/bin_scan.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kauri {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using BinGains = hn::CappedTag<double, 8>;
using BinSums = hn::RebindToSigned<BinGains>;

void Keep(BinBoundaries const& boundaries, double loss_change, std::int64_t boundary, BestBin* best) {
  auto const is_later_equal = boundaries.keep_last && best->boundary >= 0 && loss_change == best->loss_change;
  if (loss_change > best->loss_change || is_later_equal) *best = {loss_change, boundary};
}

double ExactLoss(GainParam const& param, BinBoundaries const& boundaries, FixedSum left) {
  return SplitGain(left, boundaries.total - left, param, boundaries.bounds, boundaries.sign) - boundaries.node_gain;
}

/// Scans the boundaries one by one with the shared formulas.
void ScanOneByOne(GainParam const& param, BinBoundaries const& boundaries, std::int64_t begin, BestBin* best) {
  for (auto i = begin; i < boundaries.n; ++i) {
    auto const left = boundaries.left[i] + boundaries.offset;
    auto const right = boundaries.total - left;
    if (!HasEnoughHessian(left, param) || !HasEnoughHessian(right, param)) continue;
    Keep(boundaries, ExactLoss(param, boundaries, left), i, best);
  }
}

#if HWY_TARGET != HWY_SCALAR

/// Returns the square of ThresholdL1(gradient), whose sign does not matter.
template <typename V>
HWY_INLINE V SquareBeyond(V gradient, V alpha) {
  auto const shrunk = hn::Max(hn::Sub(hn::Abs(gradient), alpha), hn::Zero(BinGains()));
  return hn::Mul(shrunk, shrunk);
}

/// Considers the boundaries of the mask, which starts at boundary `first`, with the shared formulas.
void KeepMasked(GainParam const& param, BinBoundaries const& boundaries, std::int64_t first, hn::Mask<BinGains> mask,
                BestBin* best) {
  std::uint8_t bits[8] = {0};
  hn::StoreMaskBits(BinGains(), mask, bits);
  for (std::int64_t lane = 0; lane < 8; ++lane) {
    if ((bits[0] >> lane & 1) == 0) continue;
    Keep(boundaries, ExactLoss(param, boundaries, boundaries.left[first + lane] + boundaries.offset), first + lane,
         best);
  }
}

/// Scans one boundary per vector lane, starting at boundary `first`.
HWY_INLINE void ScanVector(GainParam const& param, BinBoundaries const& boundaries, std::int64_t first, BestBin* best) {
  BinGains const d;
  BinSums const di;
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
  auto mask = hn::And(hn::Ge(hessian_l, min_hessian), hn::Ge(hessian_r, min_hessian));

  auto const unit_g = hn::Set(d, param.unit.gradient);
  auto const alpha = hn::Set(d, param.alpha);
  auto const lambda = hn::Set(d, param.lambda);
  auto const square_l = SquareBeyond(hn::Mul(hn::ConvertTo(d, left_g), unit_g), alpha);
  auto const square_r = SquareBeyond(hn::Mul(hn::ConvertTo(d, right_g), unit_g), alpha);
  auto const below_l = hn::Add(hessian_l, lambda);
  auto const below_r = hn::Add(hessian_r, lambda);
  // Tests square_l / below_l + square_r / below_r >= bound, multiplied by both denominators.
  auto const gain = hn::Add(hn::Mul(square_l, below_r), hn::Mul(square_r, below_l));
  auto const bound = hn::Set(d, ScreeningBound(best->loss_change, boundaries.node_gain));
  mask = hn::And(mask, hn::Ge(gain, hn::Mul(bound, hn::Mul(below_l, below_r))));
  if (HWY_LIKELY(hn::AllFalse(d, mask))) return;

  if (!GainIsQuotient(param)) {
    KeepMasked(param, boundaries, first, mask, best);
    return;
  }
  auto const exact = hn::Add(hn::Div(square_l, below_l), hn::Div(square_r, below_r));
  auto const losses = hn::Sub(exact, hn::Set(d, boundaries.node_gain));
  HWY_ALIGN double loss_of[8];
  hn::Store(hn::IfThenElse(mask, losses, hn::Set(d, -1.0)), d, loss_of);
  for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane) {
    Keep(boundaries, loss_of[lane], first + static_cast<std::int64_t>(lane), best);
  }
}

#endif  // HWY_TARGET != HWY_SCALAR

BestBin FindBestBoundary(GainParam const& param, BinBoundaries const& boundaries, double floor) {
  BestBin best{floor, -1};
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  auto const lanes = static_cast<std::int64_t>(hn::Lanes(BinGains()));
  for (; i + lanes <= boundaries.n; i += lanes) ScanVector(param, boundaries, i, &best);
#endif
  ScanOneByOne(param, boundaries, i, &best);
  return best;
}

}  // namespace HWY_NAMESPACE
}  // namespace kauri
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kauri {

HWY_EXPORT(FindBestBoundary);

BestBin FindBestBoundary(GainParam const& param, BinBoundaries const& boundaries, double floor) {
  return HWY_DYNAMIC_DISPATCH(FindBestBoundary)(param, boundaries, floor);
}

}  // namespace kauri
#endif  // HWY_ONCE
