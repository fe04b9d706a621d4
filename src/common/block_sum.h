/// \file Sums over rows with the same bits for any number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "common/threads/parallel_for.h"

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

}  // namespace kauri
