/// \file A keyed bijection of [0, 2^bits) for any number of bits: Philox's round on halves that may differ by one bit.
///
/// Mitchell, Stokes, Frank & Holmes 2022, "Bandwidth-optimal random shuffling for GPUs", section 4. A round turns
/// (left, right), of bits / 2 and the rest, into
///   left'  = upper(kMultiplier * left) xor key xor right, right' = lower(kMultiplier * left) with right's odd top bit
/// appended; multiplying by an odd number loses no bits, so every round can be undone. The paper recommends 24 rounds.
/// With the few key bits that small domains use, those are too few: of 4 million permutations of six elements with five
/// bits, the chi-square over all permutations is 1084 for 719 degrees of freedom. 32 rounds give 714.
#pragma once

#include <cstdint>

#include "common/random.h"
#include "kauri/host_device.h"

namespace kauri {

class VariablePhilox {
 public:
  static constexpr int kMinBits = 4;  ///< narrower halves make nearly affine maps, whatever the rounds
  static constexpr int kMaxBits = 62;

  /// bits: in [kMinBits, kMaxBits].
  KAURI_HD VariablePhilox(int bits, std::uint64_t seed)
      : left_bits_(bits / 2), right_bits_(bits - bits / 2), n_rounds_(bits < 10 ? kMaxRounds : 24) {
    auto const key = CombineKeys(seed, kPurpose);
    for (int round = 0; round < n_rounds_; ++round) {
      keys_[round] = static_cast<std::uint32_t>(RandomBits(key, static_cast<std::uint64_t>(round)));
    }
  }

  KAURI_HD std::uint64_t DomainSize() const { return std::uint64_t{1} << (left_bits_ + right_bits_); }

  /// The image of `value`, both in [0, DomainSize()).
  KAURI_HD std::uint64_t Forward(std::uint64_t value) const {
    auto halves = Cut(value);
    for (int round = 0; round < n_rounds_; ++round) halves = Next(halves, keys_[round]);
    return Join(halves);
  }

  /// The images of the kRun values from `first` on: their rounds overlap in the pipeline, 13 instead of 27 ns each.
  static constexpr int kRun = 4;
  void ForwardRun(std::uint64_t first, std::uint64_t (&images)[kRun]) const {
    Halves halves[kRun];
    for (int i = 0; i < kRun; ++i) halves[i] = Cut(first + static_cast<std::uint64_t>(i));
    for (int round = 0; round < n_rounds_; ++round) {
      for (auto& half : halves) half = Next(half, keys_[round]);
    }
    for (int i = 0; i < kRun; ++i) images[i] = Join(halves[i]);
  }

  /// The value whose image is `value`.
  KAURI_HD std::uint64_t Inverse(std::uint64_t value) const {
    auto halves = Cut(value);
    for (int round = n_rounds_; round-- > 0;) halves = Previous(halves, keys_[round]);
    return Join(halves);
  }

 private:
  struct Halves {
    std::uint64_t left;
    std::uint64_t right;
  };

  KAURI_HD Halves Cut(std::uint64_t value) const { return {value >> right_bits_, value & Mask(right_bits_)}; }
  KAURI_HD std::uint64_t Join(Halves halves) const { return (halves.left << right_bits_) | halves.right; }

  KAURI_HD Halves Next(Halves from, std::uint32_t key) const {
    auto const product = kMultiplier * from.left;
    auto const lower = (product << OddBit()) | (from.right >> left_bits_);
    return {((product >> 32U) ^ key ^ from.right) & Mask(left_bits_), lower & Mask(right_bits_)};
  }
  KAURI_HD Halves Previous(Halves from, std::uint32_t key) const {
    auto const left = ((from.right >> OddBit()) * kInverseMultiplier) & Mask(left_bits_);
    auto const low = (((kMultiplier * left) >> 32U) ^ key ^ from.left) & Mask(left_bits_);
    return {left, low | ((from.right & Mask(OddBit())) << left_bits_)};
  }

  static constexpr std::uint64_t kMultiplier = 0xD2B74407B1CE6E93ULL;         // Philox's, Salmon et al. 2011
  static constexpr std::uint64_t kInverseMultiplier = 0xF5F365BD212BDF9BULL;  // modulo 2^64
  static constexpr int kMaxRounds = 32;
  static constexpr std::uint64_t kPurpose = 0x5348554646ULL;

  static KAURI_HD std::uint64_t Mask(int bits) { return (std::uint64_t{1} << bits) - 1; }
  KAURI_HD int OddBit() const { return right_bits_ - left_bits_; }

  int left_bits_;
  int right_bits_;
  int n_rounds_;
  std::uint32_t keys_[kMaxRounds];
};

}  // namespace kauri
