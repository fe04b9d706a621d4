/// \file A keyed bijection of [0, n) for any n, whose rounds are swaps of disjoint pairs.
///
/// Hoang, Morris & Rogaway 2012, "An enciphering scheme based on a card shuffle". Round r has a key K_r in [0, n) and
/// pairs each i with j = (K_r - i) mod n; a random bit of the round and of the pair's larger number decides whether the
/// two swap. So a round changes an array in place, all pairs at once, reading it once upwards and once downwards: a
/// shuffle that needs no second array (thesis, 6.7). It costs n operations a round for 16 + 2 log2(n) rounds, so it is
/// not work-efficient.
///
/// One hash holds the bits of 64 consecutive numbers.
#pragma once

#include <cstdint>

#include "common/random/random.h"
#include "kauri/host_device.h"

namespace kauri {

/// One round over n elements.
class SwapRound {
 public:
  /// n: at least 1.
  KAURI_HD SwapRound(std::int64_t n, std::uint64_t seed, int round) : n_(static_cast<std::uint64_t>(n)) {
    auto const key = CombineKeys(CombineKeys(seed, kPurpose), static_cast<std::uint64_t>(round));
    sum_ = RandomBits(key, 0) % n_;
    bits_key_ = CombineKeys(key, 1);
  }

  KAURI_HD std::int64_t NumPairs() const { return static_cast<std::int64_t>(NumLowPairs() + (n_ - 1 - sum_) / 2); }

  struct Pair {
    std::uint64_t low;
    std::uint64_t high;
  };
  /// Returns pair `number` in [0, NumPairs()): first the pairs that add up to K_r, then the pairs that add up to K_r +
  /// n. From one pair to the next within a half, low grows and high falls by one.
  KAURI_HD Pair PairAt(std::int64_t number) const {
    auto const place = static_cast<std::uint64_t>(number);
    if (place < NumLowPairs()) return {place, sum_ - place};
    auto const past = place - NumLowPairs();
    return {sum_ + 1 + past, n_ - 1 - past};
  }
  /// Returns whether the pair with this larger number swaps.
  KAURI_HD bool Swaps(std::uint64_t high) const { return ((Bits(high) >> (high % 64U)) & 1U) != 0; }
  /// Returns the bits of the group of 64 numbers that contains `high`, from the lowest bit on.
  KAURI_HD std::uint64_t Bits(std::uint64_t high) const { return RandomBits(bits_key_, high / 64U); }

  /// Returns the place after the round of an element at `place`. A round is its own inverse, so it is also the place
  /// before the round of an element that is at `place` after it.
  KAURI_HD std::uint64_t Apply(std::uint64_t place) const {
    auto const other = place <= sum_ ? sum_ - place : sum_ + n_ - place;
    return Swaps(place > other ? place : other) ? other : place;
  }

 private:
  static constexpr std::uint64_t kPurpose = 0x53574150ULL;

  KAURI_HD std::uint64_t NumLowPairs() const { return (sum_ + 1) / 2; }

  std::uint64_t n_;
  std::uint64_t sum_;
  std::uint64_t bits_key_;
};

class SwapOrNot {
 public:
  static constexpr std::int64_t kMaxSize = (std::int64_t{1} << 62U) - 1;

  /// n: in [0, kMaxSize].
  KAURI_HD SwapOrNot(std::int64_t n, std::uint64_t seed) : SwapOrNot(n, seed, DefaultRounds(n)) {}
  /// n_rounds other than the default is for tests.
  KAURI_HD SwapOrNot(std::int64_t n, std::uint64_t seed, int n_rounds) : n_(n), seed_(seed), n_rounds_(n_rounds) {}
  static KAURI_HD SwapOrNot Above(std::int64_t n, std::uint64_t seed) { return SwapOrNot(n, seed); }

  /// Returns 16 + 2 ceil(log2 n).
  static KAURI_HD int DefaultRounds(std::int64_t n) {
    int rounds = 16;
    for (std::int64_t power = 1; power < n; power *= 2) rounds += 2;
    return rounds;
  }

  KAURI_HD std::uint64_t DomainSize() const { return static_cast<std::uint64_t>(n_); }
  KAURI_HD int NumRounds() const { return n_rounds_; }
  KAURI_HD SwapRound Round(int round) const { return SwapRound(n_, seed_, round); }

  /// Returns the place before all rounds of the element that is at `place` after them.
  KAURI_HD std::uint64_t Forward(std::uint64_t place) const {
    for (int round = n_rounds_; round-- > 0;) place = Round(round).Apply(place);
    return place;
  }
  KAURI_HD std::uint64_t Inverse(std::uint64_t place) const {
    for (int round = 0; round < n_rounds_; ++round) place = Round(round).Apply(place);
    return place;
  }
  template <int kCount>
  KAURI_HD void ForwardMany(std::uint64_t (&values)[kCount]) const {
    for (int i = 0; i < kCount; ++i) values[i] = Forward(values[i]);
  }

 private:
  std::int64_t n_;
  std::uint64_t seed_;
  int n_rounds_;
};

}  // namespace kauri
