#include "common/quantise_kernel.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/quantise_kernel.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kauri {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

std::int32_t BitsOfAbs(float value) {
  std::int32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits & 0x7FFFFFFF;
}

AbsBits Largest(GradientPair const* pairs, std::int64_t n, AbsBits max) {
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  hn::CappedTag<std::int32_t, 16> const d;
  auto const pairs_at_once = static_cast<std::int64_t>(hn::Lanes(d)) / 2;
  auto const* values = reinterpret_cast<std::int32_t const*>(pairs);
  auto largest = hn::Zero(d);
  for (; i + pairs_at_once <= n; i += pairs_at_once) {
    largest = hn::Max(largest, hn::And(hn::LoadU(d, values + 2 * i), hn::Set(d, 0x7FFFFFFF)));
  }
  HWY_ALIGN std::int32_t lanes[16];
  hn::Store(largest, d, lanes);
  for (std::size_t lane = 0; lane < hn::Lanes(d); lane += 2) {
    max.gradient = std::max(max.gradient, lanes[lane]);
    max.hessian = std::max(max.hessian, lanes[lane + 1]);
  }
#endif
  for (; i < n; ++i) {
    max.gradient = std::max(max.gradient, BitsOfAbs(pairs[i].gradient));
    max.hessian = std::max(max.hessian, BitsOfAbs(pairs[i].hessian));
  }
  return max;
}

void Quantise(GradientPair const* pairs, std::int64_t n, GradientUnit steps, FixedPair* out) {
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  hn::CappedTag<double, 8> const d;
  hn::Rebind<float, decltype(d)> const df;
  hn::Rebind<std::int32_t, decltype(d)> const di;
  auto const pairs_at_once = static_cast<std::int64_t>(hn::Lanes(d)) / 2;
  auto const step = hn::OddEven(hn::Set(d, steps.hessian), hn::Set(d, steps.gradient));
  auto const unit = hn::OddEven(hn::Set(di, 1), hn::Zero(di));
  for (; i + pairs_at_once <= n; i += pairs_at_once) {
    auto const values = hn::LoadU(df, reinterpret_cast<float const*>(pairs + i));
    auto const fixed = hn::DemoteTo(di, hn::Round(hn::Mul(hn::PromoteTo(d, values), step)));
    // A positive hessian stays at least one unit.
    auto const vanishes = hn::And(hn::Eq(fixed, hn::Zero(di)), hn::RebindMask(di, hn::Gt(values, hn::Zero(df))));
    hn::StoreU(hn::IfThenElse(vanishes, unit, fixed), di, reinterpret_cast<std::int32_t*>(out + i));
  }
#endif
  for (; i < n; ++i) out[i] = QuantisePair(pairs[i], steps);
}

}  // namespace HWY_NAMESPACE
}  // namespace kauri
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kauri {

HWY_EXPORT(Largest);
HWY_EXPORT(Quantise);

AbsBits LargestBits(GradientPair const* pairs, std::int64_t n, AbsBits max) {
  return HWY_DYNAMIC_DISPATCH(Largest)(pairs, n, max);
}

void QuantisePairs(GradientPair const* pairs, std::int64_t n, GradientUnit steps, FixedPair* out) {
  HWY_DYNAMIC_DISPATCH(Quantise)(pairs, n, steps, out);
}

}  // namespace kauri
#endif  // HWY_ONCE
