/// \file A random permutation of [0, n) from a seed: the same on every device, for any number of threads.
///
/// The bijective shuffle (Mitchell, Stokes, Frank & Holmes 2022, "Bandwidth-optimal random shuffling for GPUs",
/// Algorithm 1):
/// 1. A keyed bijection permutes a power of two above n (variable_philox.h).
/// 2. Images of n and above are left out. By an exclusive sum of the images that stay, each finds its place, in order.
/// A uniform permutation less its largest elements is uniform. The power of two is strictly above n: Philox's rounds
/// are even permutations, so that at n itself half of all permutations would never occur.
#pragma once

#include <cstdint>
#include <vector>

#include "common/variable_philox.h"
#include "kauri/context.h"
#include "kauri/host_device.h"

namespace kauri {

class Shuffle {
 public:
  static constexpr std::int64_t kMaxSize = (std::int64_t{1} << VariablePhilox::kMaxBits) - 1;

  /// n: in [0, kMaxSize].
  KAURI_HD Shuffle(std::int64_t n, std::uint64_t seed) : n_(n), bijection_(BitsAbove(n), seed) {}

  KAURI_HD std::int64_t Size() const { return n_; }
  /// Indices of the bijection, [0, NumCandidates()): those whose image is below Size() make the permutation, in order.
  KAURI_HD std::int64_t NumCandidates() const { return static_cast<std::int64_t>(bijection_.DomainSize()); }
  KAURI_HD std::int64_t Image(std::int64_t candidate) const {
    return static_cast<std::int64_t>(bijection_.Forward(static_cast<std::uint64_t>(candidate)));
  }

  KAURI_HD VariablePhilox const& Bijection() const { return bijection_; }

  /// The element at `position`, in [0, Size()). Costs up to two evaluations of the bijection per position before it:
  /// First is for more than a few.
  KAURI_HD std::int64_t Index(std::int64_t position) const {
    for (std::int64_t candidate = 0;; ++candidate) {
      auto const image = Image(candidate);
      if (image < n_ && position-- == 0) return image;
    }
  }

  /// The elements at the first `count` positions, at most Size().
  std::vector<std::int64_t> First(Context const& ctx, std::int64_t count) const;
  /// The whole permutation. Evaluates the bijection once or twice per element.
  std::vector<std::int64_t> List(Context const& ctx) const { return First(ctx, n_); }

 private:
  static KAURI_HD int BitsAbove(std::int64_t n) {
    int bits = VariablePhilox::kMinBits;
    while ((std::int64_t{1} << bits) <= n) ++bits;
    return bits;
  }

  std::int64_t n_;
  VariablePhilox bijection_;
};

}  // namespace kauri
