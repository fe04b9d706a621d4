/// \file The cheapest keyed bijection of [0, 2^bits): value -> (a value + c) mod 2^bits with a odd.
///
/// Section 4.1 of "Bandwidth-optimal random shuffling for GPUs": the lower bound of cost for other bijections. It has
/// at most 2^(2 bits - 1) permutations and fails every test of uniformity; only benchmarks use it.
#pragma once

#include <cstdint>

#include "common/random/random.h"
#include "kauri/host_device.h"

namespace kauri {

class LinearCongruential {
 public:
  static constexpr int kMinBits = 4;  ///< as VariablePhilox's, for equal work
  static constexpr int kMaxBits = 62;
  static constexpr std::int64_t kMaxSize = (std::int64_t{1} << kMaxBits) - 1;

  /// bits: in [1, kMaxBits].
  KAURI_HD LinearCongruential(int bits, std::uint64_t seed)
      : mask_((std::uint64_t{1} << static_cast<unsigned>(bits)) - 1),
        multiplier_((RandomBits(seed, 0) | 1U) & mask_),
        increment_(RandomBits(seed, 1) & mask_) {}
  /// Creates a bijection whose domain is larger than n, which is in [0, kMaxSize].
  static KAURI_HD LinearCongruential Above(std::int64_t n, std::uint64_t seed) {
    int bits = kMinBits;
    while ((std::int64_t{1} << bits) <= n) ++bits;
    return LinearCongruential(bits, seed);
  }

  KAURI_HD std::uint64_t DomainSize() const { return mask_ + 1; }
  /// Returns the image of `value`, both in [0, DomainSize()).
  KAURI_HD std::uint64_t Forward(std::uint64_t value) const { return (multiplier_ * value + increment_) & mask_; }
  template <int kCount>
  KAURI_HD void ForwardMany(std::uint64_t (&values)[kCount]) const {
    for (int i = 0; i < kCount; ++i) values[i] = Forward(values[i]);
  }

 private:
  std::uint64_t mask_;
  std::uint64_t multiplier_;
  std::uint64_t increment_;
};

}  // namespace kauri
