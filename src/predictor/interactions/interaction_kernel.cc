/// No multiplication is fused with an addition, and no sum depends on the number of lanes, so the bits are the same on
/// any CPU.
#include "predictor/interactions/interaction_kernel.h"

#include <algorithm>
#include <new>

// Targets between the enabled ones gain little.
#ifndef HWY_DISABLED_TARGETS  // builds with sanitizers disable more
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "predictor/interactions/interaction_kernel.cc"
#include <hwy/foreach_target.h>
// Included after foreach_target.h, once per target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kauri {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using SetDoubles = hn::CappedTag<double, kInteractionRows>;
using SetInts = hn::Rebind<std::int32_t, SetDoubles>;
using SetVector = hn::Vec<SetDoubles>;
using SetMask = hn::Mask<SetDoubles>;

constexpr std::int64_t kSetLanes = hn::MaxLanes(SetDoubles());

HWY_INLINE SetVector SetTo(double value) { return hn::Set(SetDoubles(), value); }
HWY_INLINE SetVector LoadAt(double const* from) { return hn::Load(SetDoubles(), from); }
HWY_INLINE void StoreAt(SetVector value, double* to) { hn::Store(value, SetDoubles(), to); }
HWY_INLINE void AddAt(SetVector value, double* to) { StoreAt(hn::Add(LoadAt(to), value), to); }

/// Adds terms, rounded as by RoundTerm.
HWY_INLINE void AddTermAt(SetVector term, std::int64_t* to) {
  hn::RebindToSigned<SetDoubles> const d;
  auto const bits = hn::BitCast(d, hn::Add(term, SetTo(kTermRounder)));
  hn::Store(hn::Add(hn::Load(d, to), hn::Sub(bits, hn::Set(d, kBitsOfTermRounder))), d, to);
}

/// Adds a split's terms to the sets of its feature and of other features above it, in the order of ForEachSubset.
/// kUniform: the weights are already part of the terms.
template <int kPoints, bool kUniform>
class SetAdder {
 public:
  HWY_INLINE SetAdder(InteractionJob const& job, InteractionScratch const& scratch, InteractionSplit const& split,
                      std::int64_t lane, std::int64_t point)
      : set_(job.tree->sets.data() + split.sum_begin),
        sums_(job.sums + lane),
        gains_(scratch.gains.data()),
        weights_(scratch.weights.data()),
        n_others_(split.n_others),
        order_(job.forest->order),
        point_(point) {}

  /// terms: [kPoints] vectors.
  HWY_INLINE void Add(double const* terms) {
    SetVector product[kPoints];
    for (int q = 0; q < kPoints; ++q) product[q] = LoadAt(terms + q * kSetLanes);
    SetVector sum = Weighted(product, 1, 0);
    for (int q = 1; q < kPoints; ++q) sum = hn::Add(sum, Weighted(product, 1, q));
    AddSum(sum);
    Extend(product, 1, 0);
  }

 private:
  HWY_INLINE SetVector Weighted(SetVector const* product, std::int32_t size, int q) const {
    return kUniform ? product[q] : hn::Mul(product[q], SetTo(weights_[size][point_ + q]));
  }
  HWY_INLINE void AddSum(SetVector sum) { AddTermAt(sum, sums_ + *set_++ * kInteractionRows); }

  /// Adds to all sets that extend a set of `size` features with others from `first` on.
  void Extend(SetVector const* product, std::int32_t size, std::uint32_t first) {
    if (size == order_) return;
    SetVector weighted[kPoints];
    for (int q = 0; q < kPoints; ++q) weighted[q] = Weighted(product, size + 1, q);
    for (auto next = first; next < n_others_; ++next) {
      auto const* gain = gains_[next] + point_ * kSetLanes;
      auto sum = hn::Mul(weighted[0], LoadAt(gain));
      for (int q = 1; q < kPoints; ++q) sum = hn::Add(sum, hn::Mul(weighted[q], LoadAt(gain + q * kSetLanes)));
      AddSum(sum);
    }
    if (size + 1 == order_) return;
    for (auto next = first; next + 1 < n_others_; ++next) {
      auto const* gain = gains_[next] + point_ * kSetLanes;
      SetVector longer[kPoints];
      for (int q = 0; q < kPoints; ++q) longer[q] = hn::Mul(product[q], LoadAt(gain + q * kSetLanes));
      Extend(longer, size + 1, next + 1);
    }
  }

  std::uint32_t const* set_;
  std::int64_t* sums_;
  double const* const* gains_;
  double const* const* weights_;
  std::uint32_t n_others_;
  std::int32_t order_;
  std::int64_t point_;
};

/// Traverses a tree with the rows of one vector.
class SetWalker {
 public:
  SetWalker(InteractionJob const& job, InteractionScratch* scratch, std::int64_t lane)
      : job_(job),
        tree_(*job.tree),
        scratch_(*scratch),
        lane_(lane),
        points_(static_cast<std::int64_t>(tree_.cold_gain.size())),
        uniform_(job.forest->IsUniform()),
        here_(scratch->doubles.get()) {}

  void Walk() {
    auto const& rule = job_.forest->rules[tree_.n_features];
    for (std::int64_t q = 0; q < points_; ++q) {
      StoreAt(SetTo(uniform_ ? rule.weight[1][q] * job_.scale : job_.scale), Product(here_, q));
      Clear(here_, q);
    }
    std::int64_t edge = 0;
    auto const* split = tree_.splits.data();
    auto* open = scratch_.open.data();
    for (auto const step : tree_.steps) {
      switch (step) {
        case InteractionStep::kLeaf:
          AddLeaf(edge++);
          break;
        case InteractionStep::kDown:
          *open++ = edge;
          Descend(edge++);
          break;
        case InteractionStep::kUp:
          Ascend(*--open);
          break;
        case InteractionStep::kSplit:
          uniform_ ? AddSplit<true>(*split++) : AddSplit<false>(*split++);
          break;
      }
    }
  }

 private:
  // The memory of a level: vectors of the rows.
  std::int64_t LevelSize() const { return (1 + 4 * points_) * kSetLanes; }
  double* Hot(double* level) const { return level; }  ///< mask: rows that are hot at the edge into the level
  double* Product(double* level, std::int64_t q) const { return level + (1 + q) * kSetLanes; }
  double* Mass(double* level, std::int64_t q) const { return level + (1 + points_ + q) * kSetLanes; }
  double* Term(double* level, std::int64_t q) const { return level + (1 + 2 * points_ + q) * kSetLanes; }
  double* Gain(double* level, std::int64_t q) const { return level + (1 + 3 * points_ + q) * kSetLanes; }
  void Clear(double* level, std::int64_t q) const {
    StoreAt(SetTo(0.0), Mass(level, q));
    StoreAt(SetTo(0.0), Term(level, q));
  }
  SetMask HotAt(double* level) const { return hn::MaskFromVec(LoadAt(Hot(level))); }
  double* LevelOf(std::int32_t number) const { return scratch_.doubles.get() + number * LevelSize(); }

  InteractionEdge const& EdgeAt(std::int64_t number) const { return tree_.edges[number]; }
  double const* ConstantsOf(std::int64_t edge) const { return tree_.constants.data() + edge * kNumConstants * points_; }

  /// Returns the rows that follow all splits on the edge's feature down to the edge.
  HWY_INLINE SetMask HotRows(InteractionEdge const& edge) const {
    auto const* keys = job_.keys + edge.slot * kInteractionRows + lane_;
    if (edge.has_condition) return RowsOfCondition(edge, keys);
    hn::Rebind<std::uint32_t, SetDoubles> const d;
    auto const key = hn::LoadU(d, reinterpret_cast<std::uint32_t const*>(keys));
    auto const inside =
        hn::Lt(hn::Sub(key, hn::Set(d, static_cast<std::uint32_t>(edge.lower))), hn::Set(d, edge.width));
    auto const missing = hn::Eq(key, hn::Set(d, static_cast<std::uint32_t>(edge.missing)));
    auto const hot = hn::BitCast(SetInts(), hn::VecFromMask(d, hn::Or(inside, missing)));
    hn::RebindToSigned<SetDoubles> const wide;
    return hn::MaskFromVec(hn::BitCast(SetDoubles(), hn::PromoteTo(wide, hot)));
  }
  HWY_NOINLINE SetMask RowsOfCondition(InteractionEdge const& edge, std::int32_t const* keys) const {
    PathFeature const feature{edge.slot << 2U | 2U | (edge.missing == kMissingKey ? 1U : 0U), edge.lower, 0, 0.0F};
    HWY_ALIGN std::int64_t hot[kSetLanes];
    auto const categories = job_.forest->categories.View();
    for (std::int64_t row = 0; row < kSetLanes; ++row) hot[row] = Follows(feature, keys[row], categories) ? -1 : 0;
    hn::RebindToSigned<SetDoubles> const wide;
    return hn::MaskFromVec(hn::BitCast(SetDoubles(), hn::Load(wide, hot)));
  }

  /// Returns the factor from the product above the edge to the product below it.
  HWY_INLINE SetVector Ratio(double const* constants, InteractionEdge const& edge, SetMask hot, std::int64_t q) const {
    auto const ratio =
        hn::IfThenElse(hot, SetTo(constants[kHotRatio * points_ + q]), SetTo(constants[kColdRatio * points_ + q]));
    if (edge.previous == 0) return ratio;
    return hn::IfThenElse(HotAt(LevelOf(edge.previous)), ratio, SetTo(edge.cold_ratio));
  }

  /// Adds the mass of the leaves below an edge to its split.
  HWY_INLINE void AddMass(SetVector mass, double const* constants, InteractionEdge const& edge, SetMask hot,
                          std::int64_t q) const {
    auto step =
        hn::IfThenElse(hot, SetTo(constants[kHotStep * points_ + q]), SetTo(constants[kColdStep * points_ + q]));
    if (edge.previous != 0) step = hn::IfThenElseZero(HotAt(LevelOf(edge.previous)), step);
    AddAt(mass, Mass(here_, q));
    AddAt(hn::Mul(mass, step), Term(here_, q));
  }

  HWY_INLINE void AddLeaf(std::int64_t number) const {
    auto const& edge = EdgeAt(number);
    auto const* constants = ConstantsOf(number);
    auto const hot = HotRows(edge);
    auto const leaf = SetTo(edge.leaf);
    for (std::int64_t q = 0; q < points_; ++q) {
      auto const product = hn::Mul(LoadAt(Product(here_, q)), Ratio(constants, edge, hot, q));
      AddMass(hn::Mul(product, leaf), constants, edge, hot, q);
    }
  }

  HWY_INLINE void Descend(std::int64_t number) {
    auto const& edge = EdgeAt(number);
    auto const* constants = ConstantsOf(number);
    auto const hot = HotRows(edge);
    auto* const below = here_ + LevelSize();
    StoreAt(hn::VecFromMask(SetDoubles(), hot), Hot(below));
    for (std::int64_t q = 0; q < points_; ++q) {
      StoreAt(hn::Mul(LoadAt(Product(here_, q)), Ratio(constants, edge, hot, q)), Product(below, q));
      auto const gain = hn::IfThenElse(hot, SetTo(constants[kHotGain * points_ + q]), SetTo(tree_.cold_gain[q]));
      StoreAt(gain, Gain(below, q));
      Clear(below, q);
    }
    here_ = below;
  }

  HWY_INLINE void Ascend(std::int64_t number) {
    auto const& edge = EdgeAt(number);
    auto* const below = here_;
    here_ -= LevelSize();
    for (std::int64_t q = 0; q < points_; ++q) {
      AddMass(LoadAt(Mass(below, q)), ConstantsOf(number), edge, HotAt(below), q);
    }
  }

  template <bool kUniform>
  HWY_INLINE void AddSplit(InteractionSplit const& split) {
    for (std::uint32_t i = 0; i < split.n_others; ++i) {
      scratch_.gains[i] = Gain(LevelOf(static_cast<std::int32_t>(tree_.levels[split.level_begin + i])), 0);
    }
    std::int64_t point = 0;
    for (; point + kPointsTogether <= points_; point += kPointsTogether) {
      AddPoints<kPointsTogether, kUniform>(split, point);
    }
    if (points_ - point == 3) AddPoints<3, kUniform>(split, point);
    if (points_ - point == 2) AddPoints<2, kUniform>(split, point);
    if (points_ - point == 1) AddPoints<1, kUniform>(split, point);
  }

  template <int kPoints, bool kUniform>
  HWY_NOINLINE void AddPoints(InteractionSplit const& split, std::int64_t point) const {
    SetAdder<kPoints, kUniform>(job_, scratch_, split, lane_, point).Add(Term(here_, point));
  }

  InteractionJob const& job_;
  InteractionTree const& tree_;
  InteractionScratch& scratch_;
  std::int64_t lane_;
  std::int64_t points_;
  bool uniform_;
  double* here_;  ///< memory of the level of the split that is open
};

void WalkSets(InteractionJob const& job, InteractionScratch* scratch) {
  for (std::int64_t lane = 0; lane < kInteractionRows; lane += kSetLanes) SetWalker(job, scratch, lane).Walk();
}

}  // namespace HWY_NAMESPACE
}  // namespace kauri
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kauri {

HWY_EXPORT(WalkSets);

void InteractionScratch::Prepare(InteractionTree const& tree, std::int32_t points) {
  auto const levels = static_cast<std::size_t>(tree.n_levels) + 1;
  if (open.size() < levels) open.resize(levels);
  if (gains.size() < static_cast<std::size_t>(tree.n_features)) gains.resize(tree.n_features);
  auto const needed = levels * (1 + 4 * static_cast<std::size_t>(points)) * static_cast<std::size_t>(kInteractionRows);
  if (needed <= n_doubles) return;
  doubles = hwy::AllocateAligned<double>(needed);
  if (doubles == nullptr) throw std::bad_alloc();
  n_doubles = needed;
}

void AddInteractions(InteractionJob const& job, InteractionScratch* scratch) {
  auto const& rule = job.forest->rules[job.tree->n_features];
  scratch->Prepare(*job.tree, rule.Points());
  scratch->weights.clear();
  for (auto const& weights : rule.weight) scratch->weights.push_back(weights.data());
  HWY_DYNAMIC_DISPATCH(WalkSets)(job, scratch);
}

}  // namespace kauri
#endif
