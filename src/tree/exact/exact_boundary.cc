#include <algorithm>
#include <cmath>

#include "tree/exact/exact_scan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/exact/exact_boundary.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kauri {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Gains = hn::CappedTag<double, 8>;
using Sums = hn::RebindToSigned<Gains>;
using Words = hn::RebindToUnsigned<Gains>;

constexpr std::int64_t kBlock = 256;
constexpr std::int64_t kMaxLanes = 8;
constexpr std::int64_t kStretch = 64;  // entries that are skipped, or not, together

/// Far more than the rounding of a hessian.
constexpr double kSlack = 1.0 - 1e-12;

/// Cumulated sums of a block: sums[2 i] and sums[2 i + 1] are gradient and hessian up to and including entry i.
struct Block {
  HWY_ALIGN std::int64_t sums[2 * (kBlock + kMaxLanes)];
  FixedSum carry;
};

void AddSums(FixedSum const* sums, std::int64_t n, Block* block) {
  for (std::int64_t i = 0; i < n; ++i) {
    block->carry += sums[i];
    block->sums[2 * i] = block->carry.gradient;
    block->sums[2 * i + 1] = block->carry.hessian;
  }
}

#if HWY_TARGET == HWY_SCALAR

void AddEntries(ColumnEntry const* entries, std::int64_t n, FixedPair const* pairs, Block* block) {
  for (std::int64_t i = 0; i < n; ++i) {
    block->carry += pairs[entries[i].row];
    block->sums[2 * i] = block->carry.gradient;
    block->sums[2 * i + 1] = block->carry.hessian;
  }
}

#else

/// Adds both halves of a pair at once: one load, one widening, one addition and one store per entry.
void AddEntries(ColumnEntry const* entries, std::int64_t n, FixedPair const* pairs, Block* block) {
  hn::FixedTag<std::int64_t, 2> const wide;
  hn::Rebind<std::int32_t, decltype(wide)> const narrow;
  HWY_ALIGN std::int64_t carry[2] = {block->carry.gradient, block->carry.hessian};
  auto sum = hn::Load(wide, carry);
  for (std::int64_t i = 0; i < n; ++i) {
    auto const* pair = reinterpret_cast<std::int32_t const*>(pairs + entries[i].row);
    sum = hn::Add(sum, hn::PromoteTo(wide, hn::LoadU(narrow, pair)));
    hn::Store(sum, wide, block->sums + 2 * i);
  }
  hn::Store(sum, wide, carry);
  block->carry = {carry[0], carry[1]};
}

#endif  // HWY_TARGET == HWY_SCALAR

/// A scan in one direction.
struct Scan {
  GainParam const& param;
  SegmentView const& segment;
  FixedSum offset;  ///< added to the sums of present rows
  bool keep_last;   ///< keeps the last of equal boundaries
  double min_hessian;
  std::int64_t min_steps;  ///< minimum hessian of a valid child, in fixed-point steps
  bool is_quotient;        ///< the gain equals the formula used for screening
  BestBoundary* best;

  /// Returns the bound at which a candidate, whose gain is first computed without a division, is evaluated exactly.
  double Bound() const { return ScreeningBound(best->loss_change, segment.node_gain); }
  double ExactLoss(FixedSum left) const {
    return SplitGain(left, segment.total - left, param, segment.bounds, segment.sign) - segment.node_gain;
  }
};

Scan MakeScan(GainParam const& param, SegmentView const& segment, FixedSum offset, bool keep_last, BestBoundary* best) {
  // A hessian of at least one fixed-point step is positive.
  auto const min_hessian = std::max(param.min_child_weight, param.unit.hessian);
  auto const steps = std::min(std::floor(min_hessian / param.unit.hessian * kSlack), 0x1p60);
  auto const min_steps = std::max(std::int64_t{1}, static_cast<std::int64_t>(steps));
  return {param, segment, offset, keep_last, min_hessian, min_steps, GainIsQuotient(param), best};
}

/// Updates the best boundary. losses: exact loss changes of up to kMaxLanes boundaries from `first` on; `mask` selects
/// those to consider.
void UpdateBest(Scan const& scan, double const* losses, std::uint8_t mask, std::int64_t first,
                std::int64_t const* sums) {
  auto* best = scan.best;
  for (std::int64_t lane = 0; lane < kMaxLanes; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    bool const replaces = losses[lane] > best->loss_change || (scan.keep_last && losses[lane] == best->loss_change);
    // A candidate of another feature may equal the floor. Ties must be seen, so the first of equals counts, too.
    if (!replaces && !(best->last < 0 && losses[lane] == best->loss_change)) continue;
    best->loss_change = losses[lane];
    best->last = first + lane;
    best->left = FixedSum{sums[2 * lane], sums[2 * lane + 1]} + scan.offset;
  }
}

#if HWY_TARGET == HWY_SCALAR

/// Considers the boundaries one by one with the shared formulas.
void ConsiderOneByOne(Scan const& scan, std::int64_t begin, std::int64_t n, Block const& block) {
  auto const* entries = scan.segment.entries + begin;
  for (std::int64_t i = 0; i < n; ++i) {
    if (entries[i].value == entries[i + 1].value) continue;
    auto const left = FixedSum{block.sums[2 * i], block.sums[2 * i + 1]} + scan.offset;
    auto const right = scan.segment.total - left;
    if (!HasEnoughHessian(left, scan.param) || !HasEnoughHessian(right, scan.param)) continue;
    auto const loss = scan.ExactLoss(left);
    UpdateBest(scan, &loss, 1, begin + i, block.sums + 2 * i);
  }
}

#else

/// Returns the square of ThresholdL1(gradient), whose sign does not matter.
template <typename V>
V SquareL1(V gradient, V alpha) {
  auto const shrunk = hn::Max(hn::Sub(hn::Abs(gradient), alpha), hn::Zero(Gains()));
  return hn::Mul(shrunk, shrunk);
}

/// Returns the lanes, among the first n, whose value differs from the next entry's. Values are the upper halves of
/// words. Equal values have equal bits, because there is no -0.
hn::Mask<Gains> WhereValuesChange(ColumnEntry const* entries, std::int64_t n) {
  Words const d;
  auto const* words = reinterpret_cast<std::uint64_t const*>(entries);
  auto const changed = hn::ShiftRight<32>(hn::Xor(hn::LoadU(d, words), hn::LoadU(d, words + 1)));
  auto const differs = hn::RebindMask(Gains(), hn::Ne(changed, hn::Zero(d)));
  return hn::And(differs, hn::FirstN(Gains(), static_cast<std::size_t>(n)));
}

/// Computes the loss changes of the boundaries in `mask` with the shared formulas.
void FillLosses(Scan const& scan, std::uint8_t mask, std::int64_t const* sums, double* losses) {
  for (std::int64_t lane = 0; lane < kMaxLanes; ++lane) {
    if ((mask >> lane & 1) != 0) {
      losses[lane] = scan.ExactLoss(FixedSum{sums[2 * lane], sums[2 * lane + 1]} + scan.offset);
    }
  }
}

/// Considers boundaries first .. first + n - 1 (n <= lanes) after entries[0 .. n - 1]; entries[lanes] must be readable.
void ConsiderVector(Scan const& scan, ColumnEntry const* entries, std::int64_t first, std::int64_t n,
                    std::int64_t const* sums) {
  Gains const d;
  Sums const di;
  auto mask = WhereValuesChange(entries, n);
  auto left_g = hn::Undefined(di);
  auto left_h = hn::Undefined(di);
  hn::LoadInterleaved2(di, sums, left_g, left_h);
  left_g = hn::Add(left_g, hn::Set(di, scan.offset.gradient));
  left_h = hn::Add(left_h, hn::Set(di, scan.offset.hessian));
  auto const right_g = hn::Sub(hn::Set(di, scan.segment.total.gradient), left_g);
  auto const right_h = hn::Sub(hn::Set(di, scan.segment.total.hessian), left_h);

  auto const unit_h = hn::Set(d, scan.param.unit.hessian);
  auto const hessian_l = hn::Mul(hn::ConvertTo(d, left_h), unit_h);
  auto const hessian_r = hn::Mul(hn::ConvertTo(d, right_h), unit_h);
  auto const min_hessian = hn::Set(d, scan.min_hessian);
  mask = hn::And(mask, hn::And(hn::Ge(hessian_l, min_hessian), hn::Ge(hessian_r, min_hessian)));
  if (hn::AllFalse(d, mask)) return;

  auto const unit_g = hn::Set(d, scan.param.unit.gradient);
  auto const alpha = hn::Set(d, scan.param.alpha);
  auto const lambda = hn::Set(d, scan.param.lambda);
  auto const square_l = SquareL1(hn::Mul(hn::ConvertTo(d, left_g), unit_g), alpha);
  auto const square_r = SquareL1(hn::Mul(hn::ConvertTo(d, right_g), unit_g), alpha);
  auto const below_l = hn::Add(hessian_l, lambda);
  auto const below_r = hn::Add(hessian_r, lambda);
  // Tests square_l / below_l + square_r / below_r >= bound, multiplied by both denominators.
  auto const gain = hn::Add(hn::Mul(square_l, below_r), hn::Mul(square_r, below_l));
  auto const bound = hn::Mul(hn::Set(d, scan.Bound()), hn::Mul(below_l, below_r));
  mask = hn::And(mask, hn::Ge(gain, bound));
  if (hn::AllFalse(d, mask)) return;

  std::uint8_t bits[8] = {0};
  hn::StoreMaskBits(d, mask, bits);
  HWY_ALIGN double losses[kMaxLanes];
  if (scan.is_quotient) {
    auto const exact = hn::Add(hn::Div(square_l, below_l), hn::Div(square_r, below_r));
    hn::Store(hn::Sub(exact, hn::Set(d, scan.segment.node_gain)), d, losses);
  } else {
    FillLosses(scan, bits[0], sums, losses);
  }
  UpdateBest(scan, losses, bits[0], first, sums);
}

/// Finds the least and largest gradient and hessian of n running sums; n is a multiple of the lanes.
void FindExtremes(std::int64_t const* sums, std::int64_t n, FixedSum* least, FixedSum* largest) {
  Sums const d;
  auto const lanes = hn::Lanes(d);
  auto low = hn::Load(d, sums);
  auto high = low;
  for (std::size_t i = lanes; i < 2 * static_cast<std::size_t>(n); i += lanes) {
    auto const sum = hn::Load(d, sums + i);
    low = hn::Min(low, sum);
    high = hn::Max(high, sum);
  }
  HWY_ALIGN std::int64_t lows[kMaxLanes];
  HWY_ALIGN std::int64_t highs[kMaxLanes];
  hn::Store(low, d, lows);
  hn::Store(high, d, highs);
  *least = {lows[0], lows[1]};
  *largest = {highs[0], highs[1]};
  for (std::size_t i = 2; i < lanes; i += 2) {
    *least = {std::min(least->gradient, lows[i]), std::min(least->hessian, lows[i + 1])};
    *largest = {std::max(largest->gradient, highs[i]), std::max(largest->hessian, highs[i + 1])};
  }
}

/// Returns whether any of n boundaries may reach the best. The screening function is convex in the left sums (a square
/// over an affine positive term, twice), so it is largest at a corner of the box of their extremes.
bool MayReachBest(Scan const& scan, std::int64_t const* sums, std::int64_t n) {
  FixedSum least;
  FixedSum largest;
  FindExtremes(sums, n, &least, &largest);
  auto const& total = scan.segment.total;
  auto const low = std::max(least.hessian + scan.offset.hessian, scan.min_steps);
  auto const high = std::min(largest.hessian + scan.offset.hessian, total.hessian - scan.min_steps);
  if (low > high) return false;
  auto const bound = scan.Bound();
  for (auto const hessian : {low, high}) {
    for (auto const gradient : {least.gradient, largest.gradient}) {
      FixedSum const left{gradient + scan.offset.gradient, hessian};
      auto const right = total - left;
      auto const l = ThresholdL1(GradientOf(left, scan.param), scan.param.alpha);
      auto const r = ThresholdL1(GradientOf(right, scan.param), scan.param.alpha);
      auto const below_l = HessianOf(left, scan.param) + scan.param.lambda;
      auto const below_r = HessianOf(right, scan.param) + scan.param.lambda;
      if (l * l * below_r + r * r * below_l >= bound * (below_l * below_r)) return true;
    }
  }
  return false;
}

/// Considers boundaries [begin, begin + n) of the segment; n is at most kStretch.
void ConsiderStretch(Scan const& scan, std::int64_t begin, std::int64_t n, std::int64_t const* sums) {
  if (n == kStretch && !MayReachBest(scan, sums, n)) return;
  auto const lanes = static_cast<std::int64_t>(hn::Lanes(Gains()));
  auto const* entries = scan.segment.entries + begin;
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) ConsiderVector(scan, entries + i, begin + i, lanes, sums + 2 * i);
  if (i == n) return;
  ColumnEntry last[kMaxLanes + 1] = {};  // nothing is read past the segment, where other threads may write
  std::copy(entries + i, entries + n + 1, last);
  ConsiderVector(scan, last, begin + i, n - i, sums + 2 * i);
}

void ConsiderBlock(Scan const& scan, std::int64_t begin, std::int64_t n, Block const& block) {
  if (n == kBlock && !MayReachBest(scan, block.sums, n)) return;
  for (std::int64_t i = 0; i < n; i += kStretch) {
    ConsiderStretch(scan, begin + i, std::min(kStretch, n - i), block.sums + 2 * i);
  }
}

#endif  // HWY_TARGET == HWY_SCALAR

void ScanBoundaries(GainParam const& param, SegmentView const& segment, FixedSum missing_left, BestBoundary* upwards,
                    BestBoundary* downwards) {
#if HWY_TARGET == HWY_SCALAR
  auto const consider = ConsiderOneByOne;
#else
  auto const consider = ConsiderBlock;
#endif
  auto const up = MakeScan(param, segment, {}, false, upwards);
  auto const down = MakeScan(param, segment, missing_left, true, downwards);
  Block block;
  block.carry = segment.before;
  for (std::int64_t begin = 0; begin < segment.count - 1; begin += kBlock) {
    auto const n = std::min(kBlock, segment.count - 1 - begin);
    if (segment.sums != nullptr) {
      AddSums(segment.sums + begin, n, &block);
    } else {
      for (std::int64_t i = kBlock; i < 2 * kBlock; i += 8) hwy::Prefetch(segment.entries + begin + i);
      AddEntries(segment.entries + begin, n, segment.pairs, &block);
    }
    if (upwards != nullptr) consider(up, begin, n, block);
    if (downwards != nullptr) consider(down, begin, n, block);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kauri
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kauri {

HWY_EXPORT(ScanBoundaries);

void ScanBoundaries(GainParam const& param, SegmentView const& segment, FixedSum missing_left, BestBoundary* upwards,
                    BestBoundary* downwards) {
  HWY_DYNAMIC_DISPATCH(ScanBoundaries)(param, segment, missing_left, upwards, downwards);
}

}  // namespace kauri
#endif  // HWY_ONCE
