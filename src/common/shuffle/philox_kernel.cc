#include "common/shuffle/variable_philox.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/shuffle/philox_kernel.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kauri {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

/// Philox rounds on halves in lanes of 64 bits, because products need 64. Four vectors of them, whose rounds overlap in
/// the pipeline.
template <bool kOdd>
class Rounds {
  using D = hn::CappedTag<std::uint64_t, 8>;
  using V = hn::Vec<D>;
  using Signed = hn::RebindToSigned<D>;
  using Words = hn::Repartition<std::uint32_t, D>;

 public:
  explicit HWY_ATTR Rounds(VariablePhilox const& bijection)
      : bijection_(bijection),
        left_mask_(hn::Set(D(), (std::uint64_t{1} << static_cast<unsigned>(bijection.LeftBits())) - 1)),
        right_mask_(hn::Set(D(), (std::uint64_t{1} << static_cast<unsigned>(bijection.RightBits())) - 1)) {}

  static constexpr int kVectors = 4;
  static HWY_ATTR std::int64_t Step() { return kVectors * static_cast<std::int64_t>(hn::Lanes(D())); }

  /// Keeps images like KeepPhiloxImages, for Step() numbers.
  HWY_ATTR std::int64_t Keep(std::uint64_t first, std::uint64_t bound, std::uint64_t* kept) const {
    auto const lanes = static_cast<std::uint64_t>(hn::Lanes(D()));
    auto left0 = hn::Iota(D(), first);
    auto left1 = hn::Iota(D(), first + lanes);
    auto left2 = hn::Iota(D(), first + 2 * lanes);
    auto left3 = hn::Iota(D(), first + 3 * lanes);
    auto right0 = Cut(&left0);
    auto right1 = Cut(&left1);
    auto right2 = Cut(&left2);
    auto right3 = Cut(&left3);
    for (int round = 0; round < bijection_.NumRounds(); ++round) {
      auto const key = hn::Set(D(), std::uint64_t{bijection_.Key(round)});
      Next(key, &left0, &right0);
      Next(key, &left1, &right1);
      Next(key, &left2, &right2);
      Next(key, &left3, &right3);
    }
    auto n_kept = KeepBelow(left0, right0, bound, kept);
    n_kept += KeepBelow(left1, right1, bound, kept + n_kept);
    n_kept += KeepBelow(left2, right2, bound, kept + n_kept);
    n_kept += KeepBelow(left3, right3, bound, kept + n_kept);
    return static_cast<std::int64_t>(n_kept);
  }

 private:
  /// Replaces the values by their left halves; returns the right ones.
  HWY_ATTR V Cut(V* values) const {
    auto const right = hn::And(*values, right_mask_);
    *values = hn::ShiftRightSame(*values, bijection_.RightBits());
    return right;
  }
  /// Computes VariablePhilox::Next. Bits of a product above a half's bits are masked out.
  HWY_ATTR void Next(V key, V* left, V* right) const {
    auto const words = hn::BitCast(Words(), *left);
    auto const product = hn::MulEven(words, hn::Set(Words(), static_cast<std::uint32_t>(VariablePhilox::kMultiplier)));
    auto const above =
        hn::MulEven(words, hn::Set(Words(), static_cast<std::uint32_t>(VariablePhilox::kMultiplier >> 32U)));
    auto const upper = hn::Add(hn::ShiftRight<32>(product), above);
    auto lower = product;
    if constexpr (kOdd) {
      lower = hn::Or(hn::ShiftLeft<1>(product), hn::ShiftRightSame(*right, bijection_.LeftBits()));
    }
    *left = hn::And(hn::Xor(hn::Xor(upper, key), *right), left_mask_);
    *right = hn::And(lower, right_mask_);
  }
  HWY_ATTR std::size_t KeepBelow(V left, V right, std::uint64_t bound, std::uint64_t* kept) const {
    auto const images = hn::Or(hn::ShiftLeftSame(left, bijection_.RightBits()), right);
    auto const stays = hn::Lt(hn::BitCast(Signed(), images), hn::Set(Signed(), static_cast<std::int64_t>(bound)));
    return hn::CompressStore(images, hn::RebindMask(D(), stays), D(), kept);
  }

  VariablePhilox const& bijection_;
  V left_mask_;
  V right_mask_;
};

template <bool kOdd>
HWY_ATTR std::int64_t KeepSteps(VariablePhilox const& bijection, std::uint64_t first, std::int64_t n_steps,
                                std::uint64_t bound, std::uint64_t* kept) {
  Rounds<kOdd> const rounds(bijection);
  std::int64_t n_kept = 0;
  for (std::int64_t step = 0; step < n_steps; ++step) {
    n_kept += rounds.Keep(first + static_cast<std::uint64_t>(step * rounds.Step()), bound, kept + n_kept);
  }
  return n_kept;
}

#endif

std::int64_t Keep(VariablePhilox const& bijection, std::uint64_t first, std::int64_t n, std::uint64_t bound,
                  std::uint64_t* kept) {
  std::int64_t n_kept = 0;
  std::int64_t n_done = 0;
#if HWY_TARGET != HWY_SCALAR
  auto const step = Rounds<false>::Step();
  n_done = n / step * step;
  n_kept = bijection.LeftBits() == bijection.RightBits() ? KeepSteps<false>(bijection, first, n / step, bound, kept)
                                                         : KeepSteps<true>(bijection, first, n / step, bound, kept);
#endif
  for (; n_done < n; ++n_done) {
    auto const image = bijection.Forward(first + static_cast<std::uint64_t>(n_done));
    kept[n_kept] = image;
    n_kept += image < bound ? 1 : 0;
  }
  return n_kept;
}

}  // namespace HWY_NAMESPACE
}  // namespace kauri
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kauri {

HWY_EXPORT(Keep);

std::int64_t KeepPhiloxImages(VariablePhilox const& bijection, std::uint64_t first, std::int64_t n, std::uint64_t bound,
                              std::uint64_t* kept) {
  return HWY_DYNAMIC_DISPATCH(Keep)(bijection, first, n, bound, kept);
}

}  // namespace kauri
#endif  // HWY_ONCE
