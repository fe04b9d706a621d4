/// \file A random permutation of [0, n) from a seed: the same on every device, for any number of threads.
///
/// The bijective shuffle (Mitchell, Stokes, Frank & Holmes 2022, "Bandwidth-optimal random shuffling for GPUs",
/// Algorithm 1):
/// 1. A keyed bijection permutes a power of two above n (variable_philox.h).
/// 2. Images of n and above are left out. An exclusive prefix sum over the remaining images gives each its place, in
///    order.
/// A uniform permutation without its largest elements is uniform. The power of two is strictly above n: Philox's rounds
/// are even permutations, so with a domain of n itself half of all permutations would never occur.
///
/// The bijection is a parameter, for comparisons; the library uses `Shuffle`.
///
/// LinearCongruential is the cheapest keyed bijection of [0, 2^bits): value -> (a value + c) mod 2^bits with a odd.
///
/// Section 4.1 of "Bandwidth-optimal random shuffling for GPUs": the lower bound of cost for other bijections. It has
/// at most 2^(2 bits - 1) permutations and fails every test of uniformity; only benchmarks use it.
#pragma once

#include <cstdint>
#include <vector>

#include "common/random/random.h"
#include "common/shuffle/swap_or_not.h"
#include "common/shuffle/variable_philox.h"
#include "kauri/context.h"
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

/// The bijective shuffle. Bijection: DomainSize(), Forward(value), and Above(n, seed), which makes a bijection with a
/// domain of n or more.
template <typename Bijection>
class BijectiveShuffle {
 public:
  static constexpr std::int64_t kMaxSize = Bijection::kMaxSize;

  /// n: in [0, kMaxSize].
  KAURI_HD BijectiveShuffle(std::int64_t n, std::uint64_t seed) : BijectiveShuffle(n, Bijection::Above(n, seed)) {}
  /// n: at most the size of the bijection's domain.
  KAURI_HD BijectiveShuffle(std::int64_t n, Bijection const& bijection) : n_(n), bijection_(bijection) {}

  KAURI_HD std::int64_t Size() const { return n_; }
  /// Returns the number of candidates, indices of the bijection [0, NumCandidates()). The images below Size() form the
  /// permutation, in order.
  KAURI_HD std::int64_t NumCandidates() const { return static_cast<std::int64_t>(bijection_.DomainSize()); }
  KAURI_HD std::int64_t Image(std::int64_t candidate) const {
    return static_cast<std::int64_t>(bijection_.Forward(static_cast<std::uint64_t>(candidate)));
  }

  KAURI_HD Bijection const& Keyed() const { return bijection_; }

  /// Returns the element at `position`, in [0, Size()). Costs up to two evaluations of the bijection per position
  /// before it; use First for more than a few.
  KAURI_HD std::int64_t Index(std::int64_t position) const {
    for (std::int64_t candidate = 0;; ++candidate) {
      auto const image = Image(candidate);
      if (image < n_ && position-- == 0) return image;
    }
  }

  /// Returns the position of `element`, in [0, Size()), in another permutation: the bijection is applied until the
  /// value is below n. It needs no sum, so each element determines on its own whether it is among the first k; every
  /// set of k elements is equally likely. Permutations are not: because Philox's are even, two that differ by one swap
  /// have probabilities in a ratio of 1 +- Size() (Size() - 1) / (NumCandidates() (NumCandidates() - 1)). Costs about
  /// NumCandidates() / Size() evaluations.
  KAURI_HD std::int64_t Rank(std::int64_t element) const {
    do {
      element = Image(element);
    } while (element >= n_);
    return element;
  }

  /// Returns the elements at the first `count` positions; count is at most Size().
  std::vector<std::int64_t> First(Context const& ctx, std::int64_t count) const;
  /// Returns the whole permutation. Evaluates the bijection once or twice per element.
  std::vector<std::int64_t> List(Context const& ctx) const { return First(ctx, n_); }

 private:
  std::int64_t n_;
  Bijection bijection_;
};

using Shuffle = BijectiveShuffle<VariablePhilox>;

}  // namespace kauri
