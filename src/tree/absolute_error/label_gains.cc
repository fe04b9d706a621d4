#include "tree/absolute_error/label_gains.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/absolute_error/label_gains.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kauri {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kMostLanes = 8;
constexpr std::size_t kBlock = 64;  // large enough that a load does not follow a store of another width too closely

using Numbers = hn::CappedTag<double, kMostLanes>;
using Integers = hn::RebindToSigned<Numbers>;

struct Sums {
  hn::Vec<Integers> weight;
  hn::Vec<Integers> product;
};

HWY_INLINE Sums Load(ResidualSum const* sums) {
  static_assert(sizeof(ResidualSum) == 2 * sizeof(std::int64_t), "pairs of integers");
  auto weight = hn::Undefined(Integers());
  auto product = hn::Undefined(Integers());
  hn::LoadInterleaved2(Integers(), reinterpret_cast<std::int64_t const*>(sums), weight, product);
  return {weight, product};
}

HWY_INLINE Sums Set(ResidualSum const& sum) {
  return {hn::Set(Integers(), sum.weight), hn::Set(Integers(), sum.product)};
}

HWY_INLINE Sums Add(Sums const& a, Sums const& b) {
  return {hn::Add(a.weight, b.weight), hn::Add(a.product, b.product)};
}

HWY_INLINE Sums Subtract(Sums const& a, Sums const& b) {
  return {hn::Sub(a.weight, b.weight), hn::Sub(a.product, b.product)};
}

HWY_INLINE hn::Vec<Numbers> NumberOf(hn::Vec<Integers> integers, double unit) {
  return hn::Mul(hn::ConvertTo(Numbers(), integers), hn::Set(Numbers(), unit));
}

/// Sums of one side at some boundaries: all its rows, the rows below the quantile's known label bin, and the rows in
/// it.
struct SideSums {
  Sums all;
  Sums below;
  Sums within;

  /// Returns the errors; 0 without weight.
  HWY_INLINE hn::Vec<Numbers> Errors(FixedResiduals const& residuals) const {
    auto const weight_of = [&](Sums const& sums) { return NumberOf(sums.weight, residuals.WeightOf({1, 0})); };
    auto const product_of = [&](Sums const& sums) { return NumberOf(sums.product, residuals.ProductOf({0, 1})); };
    auto const above = Subtract(Subtract(all, below), within);
    auto const constant = hn::Div(product_of(within), weight_of(within));
    auto const of_above = hn::Sub(product_of(above), hn::Mul(weight_of(above), constant));
    auto const of_below = hn::Sub(hn::Mul(weight_of(below), constant), product_of(below));
    auto const& slopes = residuals.Errors();
    auto const errors = hn::Add(hn::Mul(hn::Set(Numbers(), slopes.above), of_above),
                                hn::Mul(hn::Set(Numbers(), slopes.below), of_below));
    return hn::IfThenElseZero(hn::RebindMask(Numbers(), hn::Gt(all.weight, hn::Zero(Integers()))), errors);
  }
};

/// One side of the boundaries, processed from the first to the last.
template <bool kIsRight>
class Side {
 public:
  Side(FixedResiduals const& residuals, KnownBins const& known)
      : residuals_(residuals), known_(known), quantile_(residuals.Quantile()) {}

  /// Processes n boundaries, at most kBlock, starting at `first`. found: [n], the known label bins of their quantiles.
  void Find(std::size_t first, std::size_t n, std::uint8_t* found) {
    HWY_ALIGN std::int64_t places[kBlock];
    for (std::size_t i = 0; i < n; i += hn::Lanes(Integers())) hn::Store(Seek(first + i), Integers(), places + i);
    for (std::size_t i = 0; i < n; ++i) {
      auto const at = static_cast<std::size_t>(places[i]);
      found[i] = static_cast<std::uint8_t>(at);
      auto const of_below = at == 0 ? ResidualSum{} : OneOf(at - 1, first + i);
      below_[i] = of_below;
      within_[i] = OneOf(at, first + i) - of_below;
    }
  }

  /// Returns the errors of a vector of boundaries from `first` on, in the block that begins at `block`.
  HWY_INLINE hn::Vec<Numbers> Errors(std::size_t block, std::size_t first) const {
    SideSums const sums{Of(known_.n - 1, first), Load(below_.data() + (first - block)),
                        Load(within_.data() + (first - block))};
    return sums.Errors(residuals_);
  }

 private:
  HWY_INLINE Sums Of(std::size_t known, std::size_t place) const {
    auto const left = Add(Load(known_.sums[known] + place), Set(known_.to_left[known]));
    return kIsRight ? Subtract(Set(known_.of_node[known]), left) : left;
  }
  HWY_INLINE ResidualSum OneOf(std::size_t known, std::size_t place) const {
    auto const left = known_.sums[known][place] + known_.to_left[known];
    return kIsRight ? known_.of_node[known] - left : left;
  }

  /// Returns the first known label bins whose cumulated weight reaches the quantile. They are counted rather than
  /// searched: if they change from boundary to boundary, branches are unpredictable.
  HWY_INLINE hn::Vec<Integers> Seek(std::size_t first) const {
    auto const all = hn::ConvertTo(Numbers(), Of(known_.n - 1, first).weight);
    auto const share = hn::Mul(hn::Set(Numbers(), quantile_), all);
    auto const target = hn::Max(share, hn::Set(Numbers(), 0.5));  // any positive weight
    auto const lacks = [&](std::size_t known)
                           HWY_ATTR { return hn::Lt(hn::ConvertTo(Numbers(), Of(known, first).weight), target); };
    auto const begin = known_.n / 4;  // because most quantiles lie in the middle
    auto const end = known_.n - 1 - begin;
    auto const is_after = begin == 0 || hn::AllTrue(Numbers(), lacks(begin - 1));
    auto const is_before = hn::AllFalse(Numbers(), lacks(end));
    auto const from = is_after ? begin : 0;
    auto const one = hn::Set(Integers(), 1);
    auto count = hn::Set(Integers(), static_cast<std::int64_t>(from));
    for (auto known = from; known < (is_before ? end : known_.n - 1); ++known)
      count = hn::IfThenElse(hn::RebindMask(Integers(), lacks(known)), hn::Add(count, one), count);
    return count;
  }

  FixedResiduals const& residuals_;
  KnownBins const& known_;
  double quantile_;
  std::array<ResidualSum, kBlock> below_;  // set by Find, read by Errors in whole vectors
  std::array<ResidualSum, kBlock> within_;
};

double FillGains(FixedResiduals const& residuals, KnownBins const& known, double errors, std::size_t begin,
                 std::size_t end, PlaceGains* out) {
  Numbers const d;
  Side<false> left(residuals, known);
  Side<true> right(residuals, known);
  auto largest = hn::Zero(d);
  for (auto block = begin; block < end; block += kBlock) {
    auto const n = std::min(kBlock, end - block);
    left.Find(block, n, out->lefts.data() + block);
    right.Find(block, n, out->rights.data() + block);
    for (auto first = block; first < block + n; first += hn::Lanes(d)) {
      auto const gains = hn::Sub(hn::Sub(hn::Set(d, errors), left.Errors(block, first)), right.Errors(block, first));
      hn::StoreU(gains, d, out->gains.data() + first);
      largest = hn::Max(largest, hn::IfThenElseZero(hn::FirstN(d, block + n - first), gains));
    }
  }
  return hn::GetLane(hn::MaxOfLanes(d, largest));
}

}  // namespace HWY_NAMESPACE
}  // namespace kauri
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kauri {

HWY_EXPORT(FillGains);

KnownBins::KnownBins(LabelTable const& table, bool missing_left) : n(table.Known().size()) {
  auto const n_places = table.NumPlaces();
  for (std::size_t known = 0; known < n; ++known) {
    sums[known] = table.Sums(known);
    of_node[known] = sums[known][n_places - 1];
    if (missing_left) to_left[known] = of_node[known] - sums[known][n_places - 2];
  }
}

void PlaceGains::Reserve(std::size_t n_places) {
  constexpr std::size_t kRoom = 8;
  if (gains.size() >= n_places + kRoom) return;
  gains.resize(n_places + kRoom);
  lefts.resize(n_places + kRoom);
  rights.resize(n_places + kRoom);
}

double FillGains(FixedResiduals const& residuals, KnownBins const& known, double errors, std::size_t begin,
                 std::size_t end, PlaceGains* out) {
  return HWY_DYNAMIC_DISPATCH(FillGains)(residuals, known, errors, begin, end, out);
}

}  // namespace kauri
#endif  // HWY_ONCE
