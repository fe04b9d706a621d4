#include "predictor/shap/quadrature_levels.h"

// Targets between the enabled ones gain little.
#ifndef HWY_DISABLED_TARGETS  // builds with sanitizers disable more
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "predictor/shap/quadrature_levels_kernel.cc"
#include <hwy/foreach_target.h>
// Included after foreach_target.h, once per target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kauri {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, kLevelLanes>;
using Ints = hn::Rebind<std::int32_t, Floats>;
using Vector = hn::Vec<Floats>;
using IntVector = hn::Vec<Ints>;
using Mask = hn::Mask<Floats>;

constexpr std::int64_t kLaneCount = hn::MaxLanes(Floats());

template <typename T>
HWY_INLINE IntVector LoadInts(T const* from) {
  return hn::PromoteTo(Ints(), hn::LoadU(hn::Rebind<T, Floats>(), from));
}
HWY_INLINE Mask HasFlag(IntVector flags, std::int32_t flag) {
  return hn::RebindMask(Floats(), hn::TestBit(flags, hn::Set(Ints(), flag)));
}
HWY_INLINE void StoreMask(Mask mask, float* to) { hn::StoreU(hn::VecFromMask(Floats(), mask), Floats(), to); }
HWY_INLINE Mask MaskOf(Vector bits) { return hn::MaskFromVec(bits); }

/// Picks lanes of an array. If the lanes are near and vectors are long enough, they come from two neighbouring vectors,
/// otherwise from a gather.
class Pick {
 public:
  HWY_INLINE Pick(IntVector index, bool is_near) : index_(index), is_near_(is_near && kLaneCount == kLevelLanes) {}
  HWY_INLINE Vector operator()(float const* from) const {
    Floats const d;
    if (!is_near_) return hn::GatherIndex(d, from, index_);
    auto const lane = hn::IndicesFromVec(d, hn::And(index_, hn::Set(Ints(), kLaneCount - 1)));
    auto const far = HasFlag(index_, kLaneCount);
    return hn::IfThenElse(far, hn::TableLookupLanes(hn::LoadU(d, from + kLaneCount), lane),
                          hn::TableLookupLanes(hn::LoadU(d, from), lane));
  }

 private:
  IntVector index_;
  bool is_near_;
};

template <std::int32_t kPoints>
class LevelWalker {
 public:
  HWY_INLINE explicit LevelWalker(QuadratureLevelJob const& job)
      : job_(job),
        n_lanes_(static_cast<std::int64_t>(job.batch->blocks.size()) * kLevelLanes),
        left_(job.scratch),
        met_(left_ + n_lanes_),
        hot_(met_ + n_lanes_),
        products_(hot_ + n_lanes_),
        sums_(products_ + kPoints * n_lanes_) {
    auto const n_powers = static_cast<std::int32_t>(job.rule->power.size()) / kPoints;
    for (std::int32_t q = 0; q < kPoints; ++q) {
      beta_[q] = job.rule->beta.data()[q];
      for (std::int32_t k = 0; k < n_powers; ++k) {
        power_[q][k] = job.rule->power.data()[k * kPoints + q];
        power_beta_[q][k] = job.rule->power_beta.data()[k * kPoints + q];
      }
    }
  }

  HWY_INLINE void Walk() {
    auto const* const blocks = job_.batch->blocks.data();
    auto const n_blocks = static_cast<std::int64_t>(job_.batch->blocks.size());
    for (std::int64_t i = 0; i < n_blocks * kLevelLanes; i += kLaneCount) {
      Down(blocks[i / kLevelLanes], i % kLevelLanes, i);
    }
    for (auto i = n_blocks * kLevelLanes - kLaneCount; i >= 0; i -= kLaneCount) {
      Up(blocks[i / kLevelLanes], i % kLevelLanes, i);
    }
  }

 private:
  HWY_INLINE float* Product(std::int32_t q) const { return products_ + q * n_lanes_; }
  HWY_INLINE float* Sum(std::int32_t q) const { return sums_ + q * n_lanes_; }
  HWY_INLINE float const* Inverses(std::int64_t block, std::int64_t lane) const {
    return job_.batch->inverses.data() + block * kPoints * kLevelLanes + lane;
  }

  /// Computes masks and products of the kLaneCount splits from `lane` of the block on. `at` is their place in the
  /// batch.
  HWY_INLINE void Down(QuadratureBlock const& block, std::int64_t lane, std::int64_t at) const {
    Floats const d;
    Vector product[kPoints];
    for (auto& value : product) value = hn::Zero(d);
    block.is_root ? Start(product, at) : Follow(block, lane, at, product);
    Ints const di;
    auto const slots = hn::Mul(LoadInts(block.slot + lane), hn::Set(di, job_.stride));
    auto const keys = hn::Add(hn::GatherIndex(di, job_.keys, slots), hn::Load(di, block.shift + lane));
    StoreMask(hn::RebindMask(d, hn::Lt(keys, hn::Load(di, block.threshold + lane))), left_ + at);
    auto const met = MaskOf(hn::GatherIndex(d, hot_, LoadInts(block.previous + lane)));
    StoreMask(met, met_ + at);
    auto const* inverses = Inverses(at / kLevelLanes, lane);
    for (std::int32_t q = 0; q < kPoints; ++q) {
      auto const without = hn::Mul(product[q], hn::LoadU(d, inverses + q * kLevelLanes));
      hn::Store(hn::IfThenElse(met, without, product[q]), d, Product(q) + at);
    }
  }

  HWY_INLINE void Start(Vector* product, std::int64_t at) const {
    Floats const d;
    for (std::int32_t q = 0; q < kPoints; ++q) product[q] = hn::Set(d, job_.rule->weight.data()[q]);
    StoreMask(hn::Eq(hn::Zero(d), hn::Zero(d)), hot_ + at);
  }

  HWY_INLINE void Follow(QuadratureBlock const& block, std::int64_t lane, std::int64_t at, Vector* product) const {
    Floats const d;
    Pick const parent(LoadInts(block.parent + lane), !block.is_wide);
    auto const from = block.parent_begin;
    auto const met = MaskOf(parent(met_ + from));
    auto const left = MaskOf(parent(left_ + from));
    auto const is_right = HasFlag(LoadInts(block.flags + lane), kIsRight);
    auto const hot = hn::And(met, hn::Xor(left, is_right));
    StoreMask(hot, hot_ + at);
    auto const base = hn::IfThenElse(met, hn::Load(d, block.edge_zero + lane), hn::Load(d, block.edge_ratio + lane));
    for (std::int32_t q = 0; q < kPoints; ++q) {
      auto const factor = hn::IfThenElse(hot, hn::Add(base, hn::Set(d, beta_[q])), base);
      product[q] = hn::Mul(parent(Product(q) + from), factor);
    }
  }

  HWY_INLINE void Up(QuadratureBlock const& block, std::int64_t lane, std::int64_t at) const {
    Floats const d;
    Vector sum[kPoints];
    auto const met = MaskOf(hn::Load(d, met_ + at));
    auto const left = MaskOf(hn::Load(d, left_ + at));
    auto phi = hn::Zero(d);
    for (auto& value : sum) value = phi;
    if (block.has_tips) phi = UpTips(block, lane, at, left, met, sum);
    if (block.has_others) {
      Vector other_sum[kPoints];
      for (auto& value : other_sum) value = hn::Zero(d);
      auto const other_phi = UpOthers(block, lane, at, left, met, other_sum);
      auto const is_tip = HasFlag(LoadInts(block.flags + lane), kIsTip);
      phi = block.has_tips ? hn::IfThenElse(is_tip, phi, other_phi) : other_phi;
      for (std::int32_t q = 0; q < kPoints; ++q) {
        sum[q] = block.has_tips ? hn::IfThenElse(is_tip, sum[q], other_sum[q]) : other_sum[q];
      }
    }
    auto inner_earlier = hn::Zero(d);
    auto const* inverses = Inverses(at / kLevelLanes, lane);
    for (std::int32_t q = 0; q < kPoints; ++q) {
      auto const without = hn::Mul(sum[q], hn::LoadU(d, inverses + q * kLevelLanes));
      auto const kept = hn::IfThenElse(met, without, sum[q]);
      hn::Store(kept, d, Sum(q) + at);
      inner_earlier = hn::MulAdd(hn::Load(d, Product(q) + at), kept, inner_earlier);
    }
    phi = hn::NegMulAdd(hn::Load(d, block.previous_effect + lane), inner_earlier, phi);
    hn::StoreU(hn::IfThenElseZero(met, phi), d, job_.terms + at);
  }

  HWY_INLINE Vector UpTips(QuadratureBlock const& block, std::int64_t lane, std::int64_t at, Mask left, Mask met,
                           Vector* sum) const {
    Floats const d;
    auto const load = [&](float const* from) { return hn::Load(d, from + lane); };
    auto const mean = hn::IfThenElse(met, load(block.zero[0]), load(block.ratio[0]));
    auto const value = hn::IfThenElseZero(met, hn::IfThenElse(left, load(block.leaf[0]), load(block.leaf[1])));
    Pick const power(LoadInts(block.power + lane), true);
    auto inner = hn::Zero(d);
    for (std::int32_t q = 0; q < kPoints; ++q) {
      auto const weight = power(power_[q]);
      sum[q] = hn::MulAdd(value, power(power_beta_[q]), hn::Mul(mean, weight));
      inner = hn::MulAdd(hn::Load(d, Product(q) + at), weight, inner);
    }
    return hn::Mul(inner, hn::IfThenElse(left, load(block.effect[0]), load(block.effect[1])));
  }

  HWY_INLINE Vector UpOthers(QuadratureBlock const& block, std::int64_t lane, std::int64_t at, Mask left, Mask met,
                             Vector* sum) const {
    Floats const d;
    auto const load = [&](float const* from) { return hn::Load(d, from + lane); };
    auto const flags = LoadInts(block.flags + lane);
    Pick const power(LoadInts(block.power + lane), true);
    Vector inner[2];
    for (int side = 0; side < 2; ++side) {
      auto const base = hn::IfThenElse(met, load(block.zero[side]), load(block.ratio[side]));
      auto const hot = hn::And(met, side == 0 ? left : hn::Not(left));
      auto const is_leaf = HasFlag(flags, side == 0 ? kLeftIsLeaf : kRightIsLeaf);
      Pick const child(LoadInts(block.child[side] + lane), true);
      inner[side] = hn::Zero(d);
      for (std::int32_t q = 0; q < kPoints; ++q) {
        auto const factor = hn::IfThenElse(hot, hn::Add(base, hn::Set(d, beta_[q])), base);
        auto const leaf = hn::Mul(load(block.leaf[side]), power(power_[q]));
        auto const below = hn::IfThenElse(is_leaf, leaf, child(Sum(q) + block.child_begin));
        sum[q] = side == 0 ? hn::Mul(factor, below) : hn::MulAdd(factor, below, sum[q]);
        inner[side] = hn::MulAdd(hn::Load(d, Product(q) + at), below, inner[side]);
      }
    }
    auto const effect_left = hn::IfThenElse(left, load(block.effect[0]), hn::Neg(load(block.zero[0])));
    auto const effect_right = hn::IfThenElse(left, hn::Neg(load(block.zero[1])), load(block.effect[1]));
    return hn::MulAdd(effect_right, inner[1], hn::Mul(effect_left, inner[0]));
  }

  QuadratureLevelJob const& job_;
  std::int64_t n_lanes_;
  float* left_;
  float* met_;
  float* hot_;  ///< mask: the row follows the edge into the split and the earlier splits on its feature
  float* products_;
  float* sums_;
  float beta_[kPoints];
  float power_[kPoints][2 * kLevelLanes] = {};  ///< by number of features; the second half is never picked
  float power_beta_[kPoints][2 * kLevelLanes] = {};
};

void Terms(QuadratureLevelJob const& job) {
  switch (job.batch->points) {
    case 1:
      return LevelWalker<1>(job).Walk();
    case 2:
      return LevelWalker<2>(job).Walk();
    case 3:
      return LevelWalker<3>(job).Walk();
    case 4:
      return LevelWalker<4>(job).Walk();
    case 5:
      return LevelWalker<5>(job).Walk();
    case 6:
      return LevelWalker<6>(job).Walk();
    case 7:
      return LevelWalker<7>(job).Walk();
    default:
      return LevelWalker<8>(job).Walk();
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kauri
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kauri {

HWY_EXPORT(Terms);

void ComputeTerms(QuadratureLevelJob const& job) { HWY_DYNAMIC_DISPATCH(Terms)(job); }

}  // namespace kauri
#endif
