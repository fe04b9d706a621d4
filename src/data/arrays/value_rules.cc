#include "data/arrays/value_rules.h"

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

std::int64_t CountFinite(Context const& ctx, float const* values, std::int64_t n_rows, std::int64_t n_cols) {
  auto const n_values = n_rows * n_cols;
  std::vector<std::int64_t> of_block(NumBlocks(n_values, kValuesPerBlock));
  ParallelForBlocks(ctx, n_values, kValuesPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
    std::int32_t present = 0;
    std::int32_t infinite = 0;
    for (auto i = begin; i < end; ++i) {
      present += static_cast<std::int32_t>(values[i] == values[i]);
      infinite |= static_cast<std::int32_t>(std::fabs(values[i]) == std::numeric_limits<float>::infinity());
    }
    if (infinite != 0) {
      auto const row = begin / n_cols;
      FailAtInfinite(values + row * n_cols, row, (end - 1) / n_cols - row + 1, n_cols);
    }
    of_block[block] = present;
  });
  return std::accumulate(of_block.begin(), of_block.end(), std::int64_t{0});
}

}  // namespace kauri
