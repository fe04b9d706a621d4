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
#pragma once

#include <cstdint>
#include <vector>

#include "common/shuffle/linear_congruential.h"
#include "common/shuffle/swap_or_not.h"
#include "common/shuffle/variable_philox.h"
#include "kauri/context.h"
#include "kauri/host_device.h"

namespace kauri {

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
