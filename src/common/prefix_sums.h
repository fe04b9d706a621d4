/// \file Inclusive prefix sums of float64 values, in one order on the host, for any number of threads, and on devices
/// (cuda/common/prefix_sums.h): first the values of a block of kRowBlock one after the other, then the blocks before it
/// one after the other. Up to kRowBlock values it is the order of a plain loop.
#pragma once

#include <cstdint>
#include <vector>

#include "common/block_sum.h"

namespace kauri {

class PrefixSums {
 public:
  /// Calls value_of(index) once for each of n; different blocks on different threads.
  template <typename Fn>
  PrefixSums(Context const& ctx, std::int64_t n, Fn&& value_of)
      : within_(static_cast<std::size_t>(n)), before_(static_cast<std::size_t>(NumBlocks(n, kRowBlock)) + 1) {
    ParallelForBlocks(ctx, n, kRowBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
      double sum = 0.0;
      for (auto index = begin; index < end; ++index) within_[index] = sum += value_of(index);
      before_[block + 1] = sum;
    });
    for (std::size_t block = 1; block < before_.size(); ++block) before_[block] += before_[block - 1];
  }

  /// Returns the sum of the values [0, index].
  double At(std::int64_t index) const { return before_[index / kRowBlock] + within_[index]; }
  double Total() const { return before_.back(); }

 private:
  std::vector<double> within_;  ///< [n], sums within the own block
  std::vector<double> before_;  ///< [n_blocks + 1], sums of the earlier blocks
};

}  // namespace kauri
