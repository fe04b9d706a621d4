/// Longer than 400 lines: the file is compiled once per target as a whole, so no part can be moved to a header of its
/// own.
#include "predictor/shap/quadrature_kernel.h"

#include <algorithm>

// Targets between the enabled ones gain little.
#ifndef HWY_DISABLED_TARGETS  // builds with sanitizers disable more
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "predictor/shap/quadrature_kernel.cc"
#include <hwy/foreach_target.h>
// Included after foreach_target.h, once per target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kauri {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, kQuadratureLanes>;
using Ints = hn::Rebind<std::int32_t, Floats>;
using Vector = hn::Vec<Floats>;
using Mask = hn::Mask<Floats>;

/// Rows of several vectors, so that one step of the traversal is worth its bookkeeping and its latencies overlap.
template <int kVectors>
struct Rows {
  Vector part[kVectors];
};
template <int kVectors>
struct RowMask {
  Mask part[kVectors];
};

constexpr std::int64_t kLaneCount = hn::MaxLanes(Floats());

template <int kVectors>
struct Ops {
  using R = Rows<kVectors>;
  using M = RowMask<kVectors>;
  static constexpr std::int64_t kRows = kVectors * kLaneCount;

#define KAURI_EACH(type, expression)                           \
  type out;                                                    \
  for (int i = 0; i < kVectors; ++i) out.part[i] = expression; \
  return out

  static HWY_INLINE R Set(float value) { KAURI_EACH(R, hn::Set(Floats(), value)); }
  static HWY_INLINE R Load(float const* from) { KAURI_EACH(R, hn::Load(Floats(), from + i * kLaneCount)); }
  static HWY_INLINE void Store(R const& value, float* to) {
    for (int i = 0; i < kVectors; ++i) hn::Store(value.part[i], Floats(), to + i * kLaneCount);
  }
  static HWY_INLINE M LoadMask(float const* from) {
    KAURI_EACH(M, hn::MaskFromVec(hn::Load(Floats(), from + i * kLaneCount)));
  }
  static HWY_INLINE void StoreMask(M const& mask, float* to) {
    for (int i = 0; i < kVectors; ++i)
      hn::Store(hn::VecFromMask(Floats(), mask.part[i]), Floats(), to + i * kLaneCount);
  }
  static HWY_INLINE M And(M const& a, M const& b) { KAURI_EACH(M, hn::And(a.part[i], b.part[i])); }
  static HWY_INLINE M AndNot(M const& a, M const& b) { KAURI_EACH(M, hn::AndNot(a.part[i], b.part[i])); }
  static HWY_INLINE M Not(M const& a) { KAURI_EACH(M, hn::Not(a.part[i])); }
  static HWY_INLINE R Add(R const& a, R const& b) { KAURI_EACH(R, hn::Add(a.part[i], b.part[i])); }
  static HWY_INLINE R Mul(R const& a, R const& b) { KAURI_EACH(R, hn::Mul(a.part[i], b.part[i])); }
  static HWY_INLINE R MulAdd(R const& a, R const& b, R const& c) {
    KAURI_EACH(R, hn::MulAdd(a.part[i], b.part[i], c.part[i]));
  }
  static HWY_INLINE R NegMulAdd(R const& a, R const& b, R const& c) {
    KAURI_EACH(R, hn::NegMulAdd(a.part[i], b.part[i], c.part[i]));
  }
  static HWY_INLINE R Select(M const& mask, R const& yes, R const& no) {
    KAURI_EACH(R, hn::IfThenElse(mask.part[i], yes.part[i], no.part[i]));
  }
  static HWY_INLINE R SelectOrZero(M const& mask, R const& yes) {
    KAURI_EACH(R, hn::IfThenElseZero(mask.part[i], yes.part[i]));
  }
  /// Returns the rows with key + shift below the threshold. keys: keys of a slot, from a lane on.
  static HWY_INLINE M Below(std::int32_t const* keys, std::int32_t shift, std::int32_t threshold) {
    Ints const d;
    KAURI_EACH(M, hn::RebindMask(Floats(), hn::Lt(hn::Add(hn::LoadU(d, keys + i * kLaneCount), hn::Set(d, shift)),
                                                  hn::Set(d, threshold))));
  }
#undef KAURI_EACH
};

/// Finds the rows that go left at a categorical split. left (out): [n_rows] masks.
HWY_NOINLINE void LeftByCategory(QuadratureSplit const& split, std::int32_t const* keys, CategorySets const& categories,
                                 std::int64_t n_rows, float* left) {
  SplitNode const node{split.key, split.slot, 0, split.default_left, true};
  for (std::int64_t row = 0; row < n_rows; ++row) {
    std::uint32_t const mask = GoesRight(node, keys[row], categories) ? 0U : ~0U;
    hwy::CopyBytes<sizeof(mask)>(&mask, left + row);
  }
}

/// The memory of one level of the traversal: vectors of kRows floats, one after the other.
template <std::int64_t kRows>
class Level {
 public:
  HWY_INLINE Level(float* first, std::int64_t points) : first_(first), points_(points) {}
  static constexpr std::int64_t Size(std::int64_t points, bool with_pairs) {
    return (3 + (with_pairs ? 4 : 3) * points) * kRows;
  }
  HWY_INLINE float* Left() const { return first_; }  ///< Mask: rows that go left at the open split
  /// Mask: rows that follow the earlier splits on its feature.
  HWY_INLINE float* Met() const { return first_ + kRows; }
  /// Mask: rows that follow the edge into this level and the earlier splits on its feature.
  HWY_INLINE float* Hot() const { return first_ + 2 * kRows; }
  HWY_INLINE float* Product(std::int64_t q) const { return first_ + (3 + q) * kRows; }
  HWY_INLINE float* Sum(std::int64_t side, std::int64_t q) const {
    return first_ + (3 + (1 + side) * points_ + q) * kRows;
  }
  HWY_INLINE float* Partner(std::int64_t q) const { return first_ + (3 + 3 * points_ + q) * kRows; }

 private:
  float* first_;
  std::int64_t points_;
};

/// The branches that rows take at a split.
template <int kVectors>
struct Turn {
  RowMask<kVectors> left;
  RowMask<kVectors> met;   ///< only set if the split is repeated
  Rows<kVectors> zero[2];  ///< zero of the edges; the edge's ratio for rows that are not `met`
  RowMask<kVectors> hot[2];
};

/// Traverses a tree. kIsUnit: the rule's alpha is 1. Loops over points are not unrolled: fixed counts gained nothing.
template <bool kIsUnit, int kVectors, bool kPairs>
class Walker {
 public:
  HWY_INLINE Walker(QuadratureJob const& job, QuadratureScratch* scratch, std::int64_t lane)
      : tree_(*job.tree),
        job_(job),
        lane_(lane),
        points_(job.rule->points),
        alpha_(job.rule->alpha.data()),
        beta_(job.rule->beta.data()),
        power_(job.rule->power.data()),
        power_alpha_(job.rule->power_alpha.data()),
        power_beta_(job.rule->power_beta.data()),
        power_stride_(job.rule->power_stride),
        inverses_(job.tree->inverses.data()),
        phi_(scratch->floats.get()),
        pairs_(phi_ + static_cast<std::int64_t>(job.tree->slots.size()) * kRows),
        levels_(pairs_ + static_cast<std::int64_t>(kPairs ? job.tree->pairs.size() : 0) * kRows),
        here_(levels_),
        open_(scratch->open.data()) {
    std::fill(phi_, levels_, 0.0F);
    for (std::int64_t q = 0; q < points_; ++q) Op::Store(Op::Set(job.rule->weight.data()[q]), Here().Product(q));
  }

  HWY_INLINE void Walk() {
    auto const* next = tree_.splits.data();
    auto const* partners = tree_.partners.data();
    auto const* n_partners = tree_.n_partners.data();
    auto const* const end = tree_.steps.data() + tree_.steps.size();
    for (auto const* step = tree_.steps.data(); step != end; ++step) {
      if (*step <= QuadratureStep::kOpenRightRepeated) {
        open_->split = next++;
        if (kPairs) {
          open_->partners = partners;
          open_->n_partners = *n_partners;
          partners += *n_partners++;
        }
      }
      switch (*step) {
        case QuadratureStep::kTip:
          Tip<false>();
          break;
        case QuadratureStep::kTipRepeated:
          Tip<true>();
          break;
        case QuadratureStep::kOpenLeft:
          Open<false>(0);
          break;
        case QuadratureStep::kOpenLeftRepeated:
          Open<true>(0);
          break;
        case QuadratureStep::kOpenRight:
          Open<false>(1);
          break;
        case QuadratureStep::kOpenRightRepeated:
          Open<true>(1);
          break;
        case QuadratureStep::kTurn:
          TurnRight<false>();
          break;
        case QuadratureStep::kTurnRepeated:
          TurnRight<true>();
          break;
        case QuadratureStep::kClose:
          Close<false>();
          break;
        case QuadratureStep::kCloseRepeated:
          Close<true>();
          break;
        case QuadratureStep::kFlush:
          Flush();
          break;
      }
    }
    Flush();
  }

 private:
  // The steps remain functions: inlined into Walk() they are no faster and take minutes to compile with sanitizers.
  using Op = Ops<kVectors>;
  using R = Rows<kVectors>;
  using M = RowMask<kVectors>;
  using Here_ = Level<Op::kRows>;
  static constexpr std::int64_t kRows = Op::kRows;

  HWY_INLINE std::int64_t LevelSize() const { return Here_::Size(points_, kPairs); }
  HWY_INLINE Here_ Here() const { return {here_, points_}; }
  HWY_INLINE Here_ Below() const { return {here_ + LevelSize(), points_}; }
  HWY_INLINE Here_ At(std::int64_t level) const { return {levels_ + level * LevelSize(), points_}; }
  HWY_INLINE float const* Inverses(std::uint32_t edge) const { return inverses_ + edge * points_; }

  HWY_INLINE M LeftRows(QuadratureSplit const& split) const {
    auto const* keys = job_.keys + split.slot * kQuadratureRows + lane_;
    if (HWY_UNLIKELY(split.is_categorical)) {
      LeftByCategory(split, keys, *job_.categories, kRows, Here().Left());
      return Op::LoadMask(Here().Left());
    }
    return Op::Below(keys, split.default_left ? 1 : 0, split.key);
  }

  template <bool kRepeated>
  HWY_INLINE Turn<kVectors> MakeTurn(QuadratureSplit const& split, M const& left, M const& met) const {
    Turn<kVectors> turn{left, met, {Op::Set(split.zero[0]), Op::Set(split.zero[1])}, {left, Op::Not(left)}};
    if (kRepeated) {
      turn.zero[0] = Op::Select(met, turn.zero[0], Op::Set(split.ratio[0]));
      turn.zero[1] = Op::Select(met, turn.zero[1], Op::Set(split.ratio[1]));
      turn.hot[0] = Op::And(met, left);
      turn.hot[1] = Op::AndNot(left, met);
    }
    return turn;
  }

  /// Returns the factor of an edge: zero alpha + (hot ? beta : 0), or only the ratio for rows that do not follow an
  /// earlier split.
  template <bool kRepeated>
  HWY_INLINE R Factor(Turn<kVectors> const& turn, int side, std::int64_t q) const {
    auto base = turn.zero[side];
    if (!kIsUnit) {
      auto const scaled = Op::Mul(base, Op::Set(alpha_[q]));
      base = kRepeated ? Op::Select(turn.met, scaled, base) : scaled;
    }
    return Op::Select(turn.hot[side], Op::Add(base, Op::Set(beta_[q])), base);
  }

  template <bool kRepeated>
  HWY_INLINE void Descend(QuadratureSplit const& split, Turn<kVectors> const& turn, int side) {
    auto const from = Here();
    auto const to = Below();
    Op::StoreMask(turn.hot[side], to.Hot());
    for (std::int64_t q = 0; q < points_; ++q) {
      Op::Store(Op::Mul(Op::Load(from.Product(q)), Factor<kRepeated>(turn, side, q)), to.Product(q));
    }
    if (kPairs) {
      auto const* inverse = Inverses(split.edge[side]);
      auto const effect = Op::Set(split.effect[side]);
      for (std::int64_t q = 0; q < points_; ++q) {
        auto const hot = Op::Mul(effect, Op::Set(inverse[q]));
        Op::Store(Op::Select(turn.hot[side], hot, Op::Set(job_.rule->cold.data()[q])), to.Partner(q));
      }
    }
  }

  template <bool kRepeated>
  HWY_NOINLINE void Open(int side) {
    auto const& split = *open_->split;
    auto const left = LeftRows(split);
    auto const met = kRepeated ? Op::LoadMask(At(split.previous).Hot()) : left;
    Op::StoreMask(left, Here().Left());
    if (kRepeated) {
      // Divides the products by the feature's earlier factor.
      Op::StoreMask(met, Here().Met());
      auto const* inverse = Inverses(split.previous_edge);
      for (std::int64_t q = 0; q < points_; ++q) {
        auto const product = Op::Load(Here().Product(q));
        Op::Store(Op::Select(met, Op::Mul(product, Op::Set(inverse[q])), product), Here().Product(q));
      }
    }
    Descend<kRepeated>(split, MakeTurn<kRepeated>(split, left, met), side);
    if (split.is_half_leaf) {
      auto const leaf = Op::Set(split.leaf[1 - side]);
      auto const* power = power_ + split.power * power_stride_;
      for (std::int64_t q = 0; q < points_; ++q) {
        Op::Store(Op::Mul(leaf, Op::Set(power[q])), Below().Sum(1 - side, q));
      }
    }
    here_ += LevelSize();
    ++open_;
  }

  template <bool kRepeated>
  HWY_INLINE Turn<kVectors> LoadTurn(QuadratureSplit const& split) const {
    auto const left = Op::LoadMask(Here().Left());
    return MakeTurn<kRepeated>(split, left, kRepeated ? Op::LoadMask(Here().Met()) : left);
  }

  /// Moves up to the parent of the finished subtree and returns its split.
  HWY_INLINE QuadratureSplit const& Parent() {
    here_ -= LevelSize();
    return *(--open_)->split;
  }

  template <bool kRepeated>
  HWY_NOINLINE void TurnRight() {
    auto const& split = Parent();
    Descend<kRepeated>(split, LoadTurn<kRepeated>(split), 1);
    here_ += LevelSize();
    ++open_;
  }

  template <bool kRepeated>
  HWY_NOINLINE void Close() {
    auto const& split = Parent();
    auto const turn = LoadTurn<kRepeated>(split);
    auto const here = Here();
    auto const below = Below();
    auto const* inverse = Inverses(split.previous_edge);
    auto inner_left = Op::Set(0.0F);
    auto inner_right = inner_left;
    auto inner_earlier = inner_left;
    for (std::int64_t q = 0; q < points_; ++q) {
      auto const product = Op::Load(here.Product(q));
      auto const left = Op::Load(below.Sum(0, q));
      auto const right = Op::Load(below.Sum(1, q));
      auto sum = Op::MulAdd(Factor<kRepeated>(turn, 1, q), right, Op::Mul(Factor<kRepeated>(turn, 0, q), left));
      if (kRepeated) {
        sum = Op::Select(turn.met, Op::Mul(sum, Op::Set(inverse[q])), sum);
        inner_earlier = Op::MulAdd(product, sum, inner_earlier);
      }
      Op::Store(sum, here.Sum(split.side, q));
      inner_left = Op::MulAdd(product, left, inner_left);
      inner_right = Op::MulAdd(product, right, inner_right);
    }
    R const effect[2] = {Op::Select(turn.left, Op::Set(split.effect[0]), Op::Set(-split.zero[0])),
                         Op::Select(turn.left, Op::Set(-split.zero[1]), Op::Set(split.effect[1]))};
    auto const earlier_effect = Op::Set(split.previous_effect);
    if (kPairs) {
      auto const term = [&](std::int64_t q) {
        auto const both =
            Op::MulAdd(effect[1], Op::Load(below.Sum(1, q)), Op::Mul(effect[0], Op::Load(below.Sum(0, q))));
        return kRepeated ? Op::NegMulAdd(earlier_effect, Op::Load(here.Sum(split.side, q)), both) : both;
      };
      return AddTerms<kRepeated>(turn.left, turn.met, term);
    }
    auto phi = Op::MulAdd(effect[1], inner_right, Op::Mul(effect[0], inner_left));
    if (kRepeated) phi = Op::SelectOrZero(turn.met, Op::NegMulAdd(earlier_effect, inner_earlier, phi));
    AddPhi(split, phi);
  }

  template <bool kRepeated>
  HWY_NOINLINE void Tip() {
    auto const& split = *open_->split;
    auto const here = Here();
    auto const left = LeftRows(split);
    auto const met = kRepeated ? Op::LoadMask(At(split.previous).Hot()) : left;
    auto const* inverse = Inverses(split.previous_edge);
    auto mean = Op::Set(split.mean);
    auto value = Op::Select(left, Op::Set(split.leaf[0]), Op::Set(split.leaf[1]));
    if (kRepeated) {
      mean = Op::Select(met, mean, Op::Set(split.cold_mean));
      value = Op::SelectOrZero(met, value);
    }
    auto const* power = power_ + split.power * power_stride_;
    auto const* power_alpha = power_alpha_ + split.power * power_stride_;
    auto const* power_beta = power_beta_ + split.power * power_stride_;
    auto inner = Op::Set(0.0F);
    auto inner_earlier = inner;
    for (std::int64_t q = 0; q < points_; ++q) {
      auto product = Op::Load(here.Product(q));
      auto weight = Op::Set(kIsUnit ? power[q] : power_alpha[q]);
      if (!kIsUnit && kRepeated) weight = Op::Select(met, weight, Op::Set(power[q]));
      auto sum = Op::MulAdd(value, Op::Set(power_beta[q]), Op::Mul(mean, weight));
      if (kRepeated) {
        product = Op::Select(met, Op::Mul(product, Op::Set(inverse[q])), product);
        if (kPairs) Op::Store(product, here.Product(q));
        sum = Op::Select(met, Op::Mul(sum, Op::Set(inverse[q])), sum);
        inner_earlier = Op::MulAdd(product, sum, inner_earlier);
      }
      Op::Store(sum, here.Sum(split.side, q));
      inner = Op::MulAdd(product, Op::Set(power[q]), inner);
    }
    auto const effect = Op::Select(left, Op::Set(split.effect[0]), Op::Set(split.effect[1]));
    auto const earlier_effect = Op::Set(split.previous_effect);
    if (kPairs) {
      auto const term = [&](std::int64_t q) {
        auto const both = Op::Mul(effect, Op::Set(power[q]));
        return kRepeated ? Op::NegMulAdd(earlier_effect, Op::Load(here.Sum(split.side, q)), both) : both;
      };
      return AddTerms<kRepeated>(left, met, term);
    }
    auto phi = Op::Mul(inner, effect);
    if (kRepeated) phi = Op::SelectOrZero(met, Op::NegMulAdd(earlier_effect, inner_earlier, phi));
    AddPhi(split, phi);
  }

  /// Adds <G, term> to the split's feature and to its pairs with the features above. Overwrites the products G, which
  /// the split no longer needs.
  template <bool kRepeated, typename Term>
  HWY_INLINE void AddTerms(M const& left, M const& met, Term&& term) const {
    auto const here = Here();
    auto phi = Op::Set(0.0F);
    for (std::int64_t q = 0; q < points_; ++q) {
      auto value = Op::Mul(Op::Load(here.Product(q)), term(q));
      if (kRepeated) value = Op::SelectOrZero(met, value);
      phi = Op::Add(phi, value);
      Op::Store(Op::Mul(value, Op::Set(job_.rule->half_scale.data()[q])), here.Product(q));
    }
    if (!tree_.alone.empty()) {
      auto const* alone = tree_.alone.data() + 2 * (open_->split - tree_.splits.data());
      phi = Op::Select(left, Op::Set(alone[0]), Op::Set(alone[1]));
      if (kRepeated) phi = Op::SelectOrZero(met, phi);
    }
    AddPhi(*open_->split, phi);
    for (auto const* partner = open_->partners; partner != open_->partners + open_->n_partners; ++partner) {
      auto const above = At(partner->level);
      auto value = Op::Set(0.0F);
      for (std::int64_t q = 0; q < points_; ++q) {
        value = Op::MulAdd(Op::Load(here.Product(q)), Op::Load(above.Partner(q)), value);
      }
      auto* sum = pairs_ + partner->pair * kRows;
      Op::Store(Op::Add(Op::Load(sum), value), sum);
    }
  }

  HWY_INLINE void AddPhi(QuadratureSplit const& split, R const& phi) const {
    auto* sum = phi_ + split.feature * kRows;
    Op::Store(Op::Add(Op::Load(sum), phi), sum);
  }

  HWY_INLINE void Flush() const {
    MoveSums(tree_.slots, phi_, job_.phi + lane_);
    if (kPairs) MoveSums(tree_.pairs, pairs_, job_.pairs + lane_);
  }
  static HWY_NOINLINE void MoveSums(std::vector<std::uint32_t> const& places, float* HWY_RESTRICT sum,
                                    double* HWY_RESTRICT totals) {
    for (auto const place : places) {
      auto* total = totals + place * kQuadratureRows;
      for (std::int64_t row = 0; row < kRows; ++row) total[row] += static_cast<double>(sum[row]);
      Op::Store(Op::Set(0.0F), sum);
      sum += kRows;
    }
  }

  QuadratureTree const& tree_;
  QuadratureJob const& job_;
  std::int64_t lane_;
  std::int64_t points_;
  float const* alpha_;
  float const* beta_;
  float const* power_;
  float const* power_alpha_;
  float const* power_beta_;
  std::int64_t power_stride_;
  float const* inverses_;
  float* phi_;    ///< [features of the tree]
  float* pairs_;  ///< [pairs of the tree]
  float* levels_;
  float* here_;                         ///< memory of the level of the next split
  QuadratureScratch::OpenSplit* open_;  ///< entry of that level
};

template <bool kIsUnit, bool kPairs>
void WalkRows(QuadratureJob const& job, QuadratureScratch* scratch) {
  std::int64_t lane = 0;
  if (!kPairs) {
    for (; lane + kLaneCount < job.n_rows; lane += 2 * kLaneCount)
      Walker<kIsUnit, 2, kPairs>(job, scratch, lane).Walk();
  }
  for (; lane < job.n_rows; lane += kLaneCount) Walker<kIsUnit, 1, kPairs>(job, scratch, lane).Walk();
}

/// Chooses the traversal for the rule and the goal of a job.
using WalkFn = void (*)(QuadratureJob const&, QuadratureScratch*);
WalkFn ChooseWalk(bool is_unit, bool with_pairs) {
  if (with_pairs) return is_unit ? &WalkRows<true, true> : &WalkRows<false, true>;
  return is_unit ? &WalkRows<true, false> : &WalkRows<false, false>;
}

}  // namespace HWY_NAMESPACE
}  // namespace kauri
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kauri {

HWY_EXPORT(ChooseWalk);

void QuadratureScratch::Prepare(QuadratureTree const& tree, std::int32_t points, bool with_pairs) {
  auto const levels = static_cast<std::size_t>(tree.levels);
  if (open.size() < levels + 1) open.resize(levels + 1);
  auto const vectors = tree.slots.size() + (with_pairs ? tree.pairs.size() : 0) +
                       (levels + 1) * (3 + (with_pairs ? 4 : 3) * static_cast<std::size_t>(points));
  auto const needed = vectors * static_cast<std::size_t>(kQuadratureRows);
  if (needed <= n_floats) return;
  floats = hwy::AllocateAligned<float>(needed);
  if (floats == nullptr) throw std::bad_alloc();
  n_floats = needed;
}

void AddQuadrature(QuadratureJob const& job, QuadratureScratch* scratch) {
  scratch->Prepare(*job.tree, job.rule->points, job.pairs != nullptr);
  HWY_DYNAMIC_DISPATCH(ChooseWalk)(job.rule->IsUnit(), job.pairs != nullptr)(job, scratch);
}

}  // namespace kauri
#endif
