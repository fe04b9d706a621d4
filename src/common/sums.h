/// \file Sums of values in an order that no number of threads changes.
///
/// WeightedSum is the weighted mean that most metrics compute.
///
/// The order in which metrics and scales of residuals add up float64 values, the same on the host and the device:
/// blocks of kRowBlock values; in a block value i is added to lane i % 8, then the lanes in order, then the blocks in
/// order.
///
/// Inclusive prefix sums of float64 values, in one order on the host, for any number of threads, and on devices
/// (cuda/common/sums.h): first the values of a block of kRowBlock one after the other, then the blocks before it
/// one after the other. Up to kRowBlock values it is the order of a plain loop.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/threads/parallel_for.h"
#include "kauri/host_device.h"

namespace kauri {

/// Rows per block of a loop over rows: 16 KiB of float32, so that a few such arrays stay in the first-level cache.
constexpr std::int64_t kRowBlock = 4096;

/// Returns the sum over the blocks of n items of sum_of(begin, end), added in block order. Sum: float64, or any type
/// with `+=` whose default value is zero.
template <typename Sum, typename Fn>
Sum SumBlocks(Context const& ctx, std::int64_t n, std::int64_t block_size, Fn&& sum_of) {
  std::vector<Sum> partial(NumBlocks(n, block_size));
  ParallelForBlocks(ctx, n, block_size, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
    partial[block] = sum_of(begin, end);
  });
  Sum total{};
  for (auto const& sum : partial) total += sum;
  return total;
}

/// A weighted sum of losses with the sum of the weights.
struct WeightedSum {
  double loss = 0.0;
  double weight = 0.0;

  KAURI_HD WeightedSum& operator+=(WeightedSum other) {
    loss += other.loss;
    weight += other.weight;
    return *this;
  }
  /// Returns the weighted mean, or the sum itself if the total weight is 0.
  double Mean() const { return weight == 0.0 ? loss : loss / weight; }
};

constexpr std::size_t kSumLanes = 8;

/// The sum of one block. Sum: float64, or a type with `+=` whose default value is zero.
template <typename Sum>
class LaneSum {
 public:
  /// Adds a value. index: its index within the block. Values that are zero may be left out.
  void Add(std::int64_t index, Sum const& value) { lanes_[static_cast<std::size_t>(index) % kSumLanes] += value; }
  Sum Total() const {
    Sum total{};
    for (auto const& lane : lanes_) total += lane;
    return total;
  }

 private:
  Sum lanes_[kSumLanes] = {};
};

/// Returns value_of(0) + ... + value_of(n - 1), computed on the calling thread.
template <typename Sum, typename Fn>
Sum SumInLanes(std::int64_t n, Fn&& value_of) {
  Sum total{};
  for (std::int64_t begin = 0; begin < n; begin += kRowBlock) {
    LaneSum<Sum> block;
    auto const end = std::min(n, begin + kRowBlock);
    for (auto i = begin; i < end; ++i) block.Add(i - begin, value_of(i));
    total += block.Total();
  }
  return total;
}

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
