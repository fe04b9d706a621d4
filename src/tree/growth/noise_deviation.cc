#include "tree/growth/noise_deviation.h"

#include <cstdint>

#include "collective/reduce.h"
#include "common/math.h"
#include "common/threads/parallel_for.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 14;

/// Returns the sums of squares of gradient_of(row, output) over the rows, [n_outputs].
template <typename GradientOf>
std::vector<SquareSum> SquareRows(Context const& ctx, std::int64_t n_rows, std::int64_t n_outputs,
                                  GradientOf&& gradient_of) {
  std::vector<std::vector<SquareSum>> of_block(NumBlocks(n_rows, kRowsPerBlock));
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
    std::vector<SquareSum> sums(n_outputs);
    for (auto row = begin; row < end; ++row) {
      for (std::int64_t output = 0; output < n_outputs; ++output) sums[output].Add(gradient_of(row, output));
    }
    of_block[block] = std::move(sums);
  });
  std::vector<SquareSum> total(n_outputs);
  for (auto const& sums : of_block) {
    for (std::size_t output = 0; output < total.size(); ++output) total[output] += sums[output];
  }
  return total;
}

std::vector<SquareSum> SquareRows(Context const& ctx, TreeTask const& task) {
  auto const& table = task.table;
  if (table.stride == 0) {
    auto const& pairs = task.gradients.pairs;
    auto const& used = task.sampled_rows;
    return SquareRows(ctx, static_cast<std::int64_t>(pairs.size()), 1, [&](std::int64_t row, std::int64_t) {
      return used.empty() || used[row] != 0 ? pairs[row].gradient : 0;
    });
  }
  // Rows that were not sampled are zeros in the table.
  auto const n_rows = static_cast<std::int64_t>(table.values.size()) / table.stride;
  return SquareRows(ctx, n_rows, table.NumOutputs(),
                    [&](std::int64_t row, std::int64_t output) { return table.values[row * table.stride + output]; });
}

}  // namespace

std::vector<double> SumSquares(Context const& ctx, std::vector<SquareSum> of_outputs) {
  static_assert(sizeof(SquareSum) == 2 * sizeof(std::int64_t), "a sum is two integers");
  if (!of_outputs.empty()) {
    SumOverRanks(ctx, Span<std::int64_t>(&of_outputs.front().high, 2 * of_outputs.size()));
  }
  std::vector<double> sums;
  for (auto const& sum : of_outputs) sums.push_back(sum.Value());
  return sums;
}

std::vector<double> SumSquares(Context const& ctx, TreeTask const& task) {
  return SumSquares(ctx, SquareRows(ctx, task));
}

double NoiseDeviation(TreeParam const& param, TreePlace const& place, double chance_gain) {
  auto const n_rows = static_cast<double>(place.n_rows);
  auto const trained = Exp(static_cast<double>(param.eta) * static_cast<double>(place.iteration));
  return static_cast<double>(param.random_strength) * chance_gain * (n_rows / (n_rows + trained));
}

}  // namespace kauri
