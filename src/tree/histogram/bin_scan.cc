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

/// Loads the sums of the left children, one boundary per vector lane, starting at boundary `first`.
template <typename V>
HWY_INLINE void LoadLeft(BinBoundaries const& boundaries, std::int64_t first, V* gradient, V* hessian) {
  BinSums const d;
  hn::LoadInterleaved2(d, reinterpret_cast<std::int64_t const*>(boundaries.left + first), *gradient, *hessian);
  *gradient = hn::Add(*gradient, hn::Set(d, boundaries.offset.gradient));
  *hessian = hn::Add(*hessian, hn::Set(d, boundaries.offset.hessian));
}

/// Returns the sums of the right children.
template <typename V>
HWY_INLINE V RightOf(V left, std::int64_t total) {
  return hn::Sub(hn::Set(BinSums(), total), left);
}

/// Returns fixed-point sums in float64.
template <typename V>
HWY_INLINE hn::Vec<BinGains> ToFloat(V sums, double unit) {
  return hn::Mul(hn::ConvertTo(BinGains(), sums), hn::Set(BinGains(), unit));
}

/// Returns the lanes in which both children have enough hessian. A hessian of at least one fixed-point step is
/// positive.
template <typename V>
HWY_INLINE hn::Mask<BinGains> HaveEnough(GainParam const& param, V hessian_l, V hessian_r) {
  auto const least = hn::Set(BinGains(), std::max(param.min_child_weight, param.unit.hessian));
  return hn::And(hn::Ge(hessian_l, least), hn::Ge(hessian_r, least));
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
  auto left_g = hn::Undefined(BinSums());
  auto left_h = hn::Undefined(BinSums());
  LoadLeft(boundaries, first, &left_g, &left_h);
  auto const hessian_l = ToFloat(left_h, param.unit.hessian);
  auto const hessian_r = ToFloat(RightOf(left_h, boundaries.total.hessian), param.unit.hessian);
  auto mask = HaveEnough(param, hessian_l, hessian_r);

  auto const alpha = hn::Set(d, param.alpha);
  auto const lambda = hn::Set(d, param.lambda);
  auto const square_l = SquareBeyond(ToFloat(left_g, param.unit.gradient), alpha);
  auto const square_r = SquareBeyond(ToFloat(RightOf(left_g, boundaries.total.gradient), param.unit.gradient), alpha);
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

/// Returns QuotientGain of sums in float64.
template <typename V>
HWY_INLINE V Quotient(GainParam const& param, V gradient, V hessian) {
  BinGains const d;
  return hn::Div(SquareBeyond(gradient, hn::Set(d, param.alpha)), hn::Add(hessian, hn::Set(d, param.lambda)));
}

/// Adds the loss changes of one boundary per vector lane to the scores, starting at boundary `first`.
HWY_INLINE void AddVector(GainParam const& param, BinBoundaries const& boundaries, double gamma, std::int64_t first,
                          double* scores) {
  BinGains const d;
  auto left_g = hn::Undefined(BinSums());
  auto left_h = hn::Undefined(BinSums());
  LoadLeft(boundaries, first, &left_g, &left_h);
  auto const hessian_l = ToFloat(left_h, param.unit.hessian);
  auto const hessian_r = ToFloat(RightOf(left_h, boundaries.total.hessian), param.unit.hessian);
  auto const mask = HaveEnough(param, hessian_l, hessian_r);
  if (hn::AllFalse(d, mask)) return;
  auto const gradient_r = ToFloat(RightOf(left_g, boundaries.total.gradient), param.unit.gradient);
  auto const gain =
      hn::Add(Quotient(param, ToFloat(left_g, param.unit.gradient), hessian_l), Quotient(param, gradient_r, hessian_r));
  auto const loss = hn::Sub(hn::Sub(gain, hn::Set(d, boundaries.node_gain)), hn::Set(d, gamma));
  auto const before = hn::LoadU(d, scores + first);
  hn::StoreU(hn::IfThenElse(mask, hn::Add(before, loss), before), d, scores + first);
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

void AddLosses(GainParam const& param, BinBoundaries const& boundaries, double gamma, double* scores) {
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  auto const lanes = static_cast<std::int64_t>(hn::Lanes(BinGains()));
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

HWY_EXPORT(FindBestBoundary);
HWY_EXPORT(AddLosses);

BestBin FindBestBoundary(GainParam const& param, BinBoundaries const& boundaries, double floor) {
  return HWY_DYNAMIC_DISPATCH(FindBestBoundary)(param, boundaries, floor);
}

void AddLosses(GainParam const& param, BinBoundaries const& boundaries, double gamma, double* scores) {
  HWY_DYNAMIC_DISPATCH(AddLosses)(param, boundaries, gamma, scores);
}

}  // namespace kauri
#endif  // HWY_ONCE
