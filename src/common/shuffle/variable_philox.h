/// \file A keyed bijection of [0, 2^bits) for any number of bits: Philox's round on halves that may differ by one bit.
///
/// Mitchell, Stokes, Frank & Holmes 2022, "Bandwidth-optimal random shuffling for GPUs", section 4. A round maps (left,
/// right), of bits / 2 bits and the rest, to
///
///   left'  = upper(kMultiplier * left) xor key xor right, right' = lower(kMultiplier * left) with right's odd top bit
///
/// appended. Multiplication by an odd number loses no bits, so every round is invertible. The paper recommends 24
/// rounds. Small domains use few key bits, for which that is too few: of 4 million permutations of six elements with
/// five bits, the chi-square over all permutations is 1084 for 719 degrees of freedom. 32 rounds give 714.
///
/// Halves have at most 31 bits, so that they fit into 32-bit registers.
///
/// KeepPhiloxImages computes the images of consecutive numbers under VariablePhilox, several at a time.
#pragma once

#include <cstdint>

#include "common/random/random.h"
#include "kauri/host_device.h"

namespace kauri {

class VariablePhilox {
 public:
  static constexpr int kMinBits = 4;  ///< narrower halves make nearly affine maps, for any number of rounds
  static constexpr int kMaxBits = 62;
  static constexpr int kMaxRounds = 48;
  static constexpr std::int64_t kMaxSize = (std::int64_t{1} << kMaxBits) - 1;

  static KAURI_HD int DefaultRounds(int bits) { return bits < 10 ? 32 : 24; }

  /// bits: in [kMinBits, kMaxBits]; n_rounds: a multiple of kStep up to kMaxRounds; tests use values other than the
  /// default.
  KAURI_HD VariablePhilox(int bits, std::uint64_t seed) : VariablePhilox(bits, seed, DefaultRounds(bits)) {}
  KAURI_HD VariablePhilox(int bits, std::uint64_t seed, int n_rounds)
      : left_bits_(bits / 2), right_bits_(bits - bits / 2), n_rounds_(n_rounds) {
    auto const key = CombineKeys(seed, kPurpose);
    for (int round = 0; round < n_rounds_; ++round) {
      keys_[round] = static_cast<std::uint32_t>(RandomBits(key, static_cast<std::uint64_t>(round)));
    }
  }
  /// Creates a bijection whose domain is larger than n, which is in [0, kMaxSize].
  static KAURI_HD VariablePhilox Above(std::int64_t n, std::uint64_t seed) {
    int bits = kMinBits;
    while ((std::int64_t{1} << bits) <= n) ++bits;
    return VariablePhilox(bits, seed);
  }

  KAURI_HD std::uint64_t DomainSize() const { return std::uint64_t{1} << (left_bits_ + right_bits_); }
  KAURI_HD int LeftBits() const { return left_bits_; }
  KAURI_HD int RightBits() const { return right_bits_; }
  KAURI_HD int NumRounds() const { return n_rounds_; }
  KAURI_HD std::uint32_t Key(int round) const { return keys_[round]; }

  /// Returns the image of `value`, both in [0, DomainSize()).
  KAURI_HD std::uint64_t Forward(std::uint64_t value) const {
    auto halves = Cut(value);
    for (int round = 0; round < n_rounds_; ++round) halves = Next(halves, keys_[round]);
    return Join(halves);
  }

  /// Replaces kCount values by their images; their rounds overlap in the pipeline. The number of rounds is a multiple
  /// of kStep.
  template <int kCount>
  KAURI_HD void ForwardMany(std::uint64_t (&values)[kCount]) const {
    Halves halves[kCount];
    for (int i = 0; i < kCount; ++i) halves[i] = Cut(values[i]);
    for (int round = 0; round < n_rounds_; round += kStep) {
      for (int k = 0; k < kStep; ++k) {
        for (int i = 0; i < kCount; ++i) halves[i] = Next(halves[i], keys_[round + k]);
      }
    }
    for (int i = 0; i < kCount; ++i) values[i] = Join(halves[i]);
  }

  /// Returns the value whose image is `value`.
  KAURI_HD std::uint64_t Inverse(std::uint64_t value) const {
    auto halves = Cut(value);
    for (int round = n_rounds_; round-- > 0;) halves = Previous(halves, keys_[round]);
    return Join(halves);
  }

  static constexpr std::uint64_t kMultiplier = 0xD2B74407B1CE6E93ULL;  // Philox's, Salmon et al. 2011
  static constexpr int kStep = 4;                                      ///< rounds between two checks of their number

 private:
  struct Halves {
    std::uint32_t left;
    std::uint32_t right;
  };

  KAURI_HD Halves Cut(std::uint64_t value) const {
    return {static_cast<std::uint32_t>(value >> right_bits_), static_cast<std::uint32_t>(value) & Mask(right_bits_)};
  }
  KAURI_HD std::uint64_t Join(Halves halves) const {
    return (static_cast<std::uint64_t>(halves.left) << right_bits_) | halves.right;
  }

  KAURI_HD Halves Next(Halves from, std::uint32_t key) const {
    auto const product = kMultiplier * from.left;
    auto const upper = static_cast<std::uint32_t>(product >> 32U);
    auto const lower = (static_cast<std::uint32_t>(product) << OddBit()) | (from.right >> left_bits_);
    return {(upper ^ key ^ from.right) & Mask(left_bits_), lower & Mask(right_bits_)};
  }
  KAURI_HD Halves Previous(Halves from, std::uint32_t key) const {
    auto const left = ((from.right >> OddBit()) * static_cast<std::uint32_t>(kInverseMultiplier)) & Mask(left_bits_);
    auto const upper = static_cast<std::uint32_t>((kMultiplier * left) >> 32U);
    auto const low = (upper ^ key ^ from.left) & Mask(left_bits_);
    return {left, low | ((from.right & Mask(OddBit())) << left_bits_)};
  }

  static constexpr std::uint64_t kInverseMultiplier = 0xF5F365BD212BDF9BULL;  // modulo 2^64
  static constexpr std::uint64_t kPurpose = 0x5348554646ULL;

  static KAURI_HD std::uint32_t Mask(int bits) { return (std::uint32_t{1} << static_cast<unsigned>(bits)) - 1; }
  KAURI_HD int OddBit() const { return right_bits_ - left_bits_; }

  int left_bits_;
  int right_bits_;
  int n_rounds_;
  std::uint32_t keys_[kMaxRounds];
};

/// Writes to kept [n] the images of first .. first + n - 1 that are below `bound`, in order. Returns their number; the
/// rest of `kept` is overwritten.
std::int64_t KeepPhiloxImages(VariablePhilox const& bijection, std::uint64_t first, std::int64_t n, std::uint64_t bound,
                              std::uint64_t* kept);

}  // namespace kauri
