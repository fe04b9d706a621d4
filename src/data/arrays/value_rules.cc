#include "data/arrays/value_rules.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "common/threads/parallel_for.h"

namespace kauri {
namespace {

constexpr std::int64_t kValuesPerBlock = 1 << 16;

}  // namespace

void FailAtInfinite(float const* values, std::int64_t first_row, std::int64_t n_rows, std::int64_t n_cols) {
  for (std::int64_t i = 0; i < n_rows * n_cols; ++i) {
    if (std::isinf(values[i])) FailInfinite(first_row + i / n_cols, i % n_cols, values[i]);
  }
}

std::int64_t CountFinite(RowsOfTable const& rows, float const* values) {
  // Counts in 32 bits, so that a vector has a counter for each float. A stretch is short enough for them.
  constexpr std::int64_t kStretch = std::int64_t{1} << 30U;
  auto const n_values = rows.n_rows * rows.n_cols;
  std::int64_t n_present = 0;
  std::int32_t infinite = 0;
  for (std::int64_t begin = 0; begin < n_values; begin += kStretch) {
    auto const end = std::min(n_values, begin + kStretch);
    std::int32_t present = 0;
    for (auto i = begin; i < end; ++i) {
      present += static_cast<std::int32_t>(values[i] == values[i]);
      infinite |= static_cast<std::int32_t>(std::fabs(values[i]) == std::numeric_limits<float>::infinity());
    }
    n_present += present;
  }
  if (infinite != 0) FailAtInfinite(values, rows.first_row, rows.n_rows, rows.n_cols);
  return n_present;
}

std::int64_t CountFinite(Context const& ctx, float const* values, std::int64_t n_rows, std::int64_t n_cols) {
  if (n_cols == 0) return 0;
  auto const block_rows = std::max<std::int64_t>(1, kValuesPerBlock / n_cols);
  std::vector<std::int64_t> of_block(NumBlocks(n_rows, block_rows));
  ParallelForBlocks(ctx, n_rows, block_rows, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
    of_block[block] = CountFinite({begin, end - begin, n_cols}, values + begin * n_cols);
  });
  return std::accumulate(of_block.begin(), of_block.end(), std::int64_t{0});
}

}  // namespace kauri
