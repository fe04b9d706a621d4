#include "tree/exact_boundary.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/exact_boundary.cc"
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

/// A candidate is evaluated exactly when its gain, computed without a division, is within this of the best: far more
/// than the rounding of either, so that no candidate which the exact formula prefers is ever left out.
constexpr double kSlack = 1.0 - 1e-12;

/// Left sums of a block: sums[2 i] and sums[2 i + 1] are gradient and hessian up to and including entry i.
struct Block {
  HWY_ALIGN std::int64_t sums[2 * (kBlock + kMaxLanes)];
  FixedSum carry;
};

#if HWY_TARGET == HWY_SCALAR

void AddEntries(ColumnEntry const* entries, std::int64_t n, FixedPair const* pairs, Block* block) {
  for (std::int64_t i = 0; i < n; ++i) {
    block->carry += pairs[entries[i].row];
    block->sums[2 * i] = block->carry.gradient;
    block->sums[2 * i + 1] = block->carry.hessian;
  }
}

#else

/// Both halves of a pair are added at once: one load, one widening, one addition and one store per entry.
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

/// Constants of a scan in one direction, broadcast.
struct Scan {
  GainParam const& param;
  SegmentView const& segment;
  FixedSum offset;  ///< added to the sums of present rows
  bool keep_last;   ///< of equal boundaries
  double min_hessian;
  BestBoundary* best;

  double Bound() const { return (best->loss_change + segment.node_gain) * kSlack; }
};

Scan MakeScan(GainParam const& param, SegmentView const& segment, FixedSum offset, bool keep_last, BestBoundary* best) {
  // At least one step of the fixed point: a positive hessian.
  return {param, segment, offset, keep_last, std::max(param.min_child_weight, param.unit.hessian), best};
}

/// Exact losses of up to kMaxLanes boundaries from `first` on, of which `mask` has bits for those to look at.
void UpdateBest(Scan const& scan, double const* losses, std::uint8_t mask, std::int64_t first,
                std::int64_t const* sums) {
  auto* best = scan.best;
  for (std::int64_t lane = 0; lane < kMaxLanes; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    bool const replaces = losses[lane] > best->loss_change || (scan.keep_last && losses[lane] == best->loss_change);
    // The floor itself may be met by another feature's candidate: ties must be seen, so the first of equals counts too.
    if (!replaces && !(best->last < 0 && losses[lane] == best->loss_change)) continue;
    best->loss_change = losses[lane];
    best->last = first + lane;
    best->left = FixedSum{sums[2 * lane], sums[2 * lane + 1]} + scan.offset;
  }
}

/// Each boundary by the shared formulas.
void ConsiderOneByOne(Scan const& scan, std::int64_t begin, std::int64_t n, Block const& block) {
  auto const* entries = scan.segment.entries + begin;
  for (std::int64_t i = 0; i < n; ++i) {
    if (entries[i].value == entries[i + 1].value) continue;
    auto const left = FixedSum{block.sums[2 * i], block.sums[2 * i + 1]} + scan.offset;
    auto const right = scan.segment.total - left;
    if (!HasEnoughHessian(left, scan.param) || !HasEnoughHessian(right, scan.param)) continue;
    auto const loss = LeafGain(left, scan.param) + LeafGain(right, scan.param) - scan.segment.node_gain;
    UpdateBest(scan, &loss, 1, begin + i, block.sums + 2 * i);
  }
}

#if HWY_TARGET != HWY_SCALAR

/// Square of ThresholdL1(gradient): its sign does not matter.
template <typename V>
V SquareL1(V gradient, V alpha) {
  auto const shrunk = hn::Max(hn::Sub(hn::Abs(gradient), alpha), hn::Zero(Gains()));
  return hn::Mul(shrunk, shrunk);
}

/// Boundaries first .. first + n - 1 (n <= lanes) after entries[0 .. n - 1]; entries[lanes] can be read.
void ConsiderVector(Scan const& scan, ColumnEntry const* entries, std::int64_t first, std::int64_t n,
                    std::int64_t const* sums) {
  Gains const d;
  Sums const di;
  Words const dw;
  auto const* words = reinterpret_cast<std::uint64_t const*>(entries);
  // The value is the upper half of an entry; equal bits are equal values, as there is no -0.
  auto const changed = hn::ShiftRight<32>(hn::Xor(hn::LoadU(dw, words), hn::LoadU(dw, words + 1)));
  auto mask = hn::RebindMask(d, hn::Ne(changed, hn::Zero(dw)));
  mask = hn::And(mask, hn::FirstN(d, static_cast<std::size_t>(n)));

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
  // square_l / below_l + square_r / below_r >= bound, times both denominators.
  auto const gain = hn::Add(hn::Mul(square_l, below_r), hn::Mul(square_r, below_l));
  auto const bound = hn::Mul(hn::Set(d, scan.Bound()), hn::Mul(below_l, below_r));
  mask = hn::And(mask, hn::Ge(gain, bound));
  if (hn::AllFalse(d, mask)) return;

  auto const exact = hn::Add(hn::Div(square_l, below_l), hn::Div(square_r, below_r));
  HWY_ALIGN double losses[kMaxLanes];
  hn::Store(hn::Sub(exact, hn::Set(d, scan.segment.node_gain)), d, losses);
  std::uint8_t bits[8] = {0};
  hn::StoreMaskBits(d, mask, bits);
  UpdateBest(scan, losses, bits[0], first, sums);
}

void ConsiderBlock(Scan const& scan, std::int64_t begin, std::int64_t n, Block const& block) {
  auto const lanes = static_cast<std::int64_t>(hn::Lanes(Gains()));
  auto const* entries = scan.segment.entries + begin;
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) ConsiderVector(scan, entries + i, begin + i, lanes, block.sums + 2 * i);
  if (i == n) return;
  ColumnEntry last[kMaxLanes + 1] = {};  // nothing is read past the segment: other threads may write there
  std::copy(entries + i, entries + n + 1, last);
  ConsiderVector(scan, last, begin + i, n - i, block.sums + 2 * i);
}

#endif  // HWY_TARGET != HWY_SCALAR

void ScanBoundaries(GainParam const& param, SegmentView const& segment, FixedSum missing_left, BestBoundary* upwards,
                    BestBoundary* downwards) {
  auto consider = ConsiderOneByOne;
#if HWY_TARGET != HWY_SCALAR
  if (param.max_delta_step == 0.0) consider = ConsiderBlock;  // only then is the gain a quotient
#endif
  auto const up = MakeScan(param, segment, {}, false, upwards);
  auto const down = MakeScan(param, segment, missing_left, true, downwards);
  Block block;
  block.carry = {};
  for (std::int64_t begin = 0; begin < segment.count - 1; begin += kBlock) {
    auto const n = std::min(kBlock, segment.count - 1 - begin);
    AddEntries(segment.entries + begin, n, segment.pairs, &block);
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
