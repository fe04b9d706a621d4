/// \file The order in which metrics and scales of residuals add up float64 values, the same on the host and the device:
/// blocks of kRowBlock values; in a block value i is added to lane i % 8, then the lanes in order, then the blocks in
/// order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "common/block_sum.h"

namespace kauri {

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

}  // namespace kauri
