#include "tree/growth/noise_deviation.h"

#include <cstdint>

#include "collective/reduce.h"
#include "common/math.h"
#include "common/parallel_for.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 14;
constexpr unsigned kLowBits = 30;  // of a square, which is below 2^60: sums of 2^32 rows of both parts are below 2^62

/// [n_outputs, 2]: the high and the low parts of the squares of gradient_of(row, output), summed over the rows.
template <typename GradientOf>
std::vector<std::int64_t> SumParts(Context const& ctx, std::int64_t n_rows, std::int64_t n_outputs,
                                   GradientOf&& gradient_of) {
  std::vector<std::vector<std::int64_t>> of_block(NumBlocks(n_rows, kRowsPerBlock));
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
    std::vector<std::int64_t> parts(2 * n_outputs, 0);
    for (auto row = begin; row < end; ++row) {
      for (std::int64_t output = 0; output < n_outputs; ++output) {
        std::int64_t const gradient = gradient_of(row, output);
        auto const square = gradient * gradient;
        parts[2 * output] += square >> kLowBits;
        parts[2 * output + 1] += square & ((std::int64_t{1} << kLowBits) - 1);
      }
    }
    of_block[block] = std::move(parts);
  });
  std::vector<std::int64_t> total(2 * n_outputs, 0);
  for (auto const& parts : of_block) {
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += parts[i];
  }
  SumOverRanks(ctx, Span<std::int64_t>(total));
  return total;
}

std::vector<std::int64_t> SumParts(Context const& ctx, TreeTask const& task) {
  auto const& table = task.table;
  if (table.stride == 0) {
    auto const& pairs = task.gradients.pairs;
    auto const& used = task.sampled_rows;
    return SumParts(ctx, static_cast<std::int64_t>(pairs.size()), 1, [&](std::int64_t row, std::int64_t) {
      return used.empty() || used[row] != 0 ? pairs[row].gradient : 0;
    });
  }
  // Rows that were not sampled are zeros.
  auto const n_rows = static_cast<std::int64_t>(table.values.size()) / table.stride;
  return SumParts(ctx, n_rows, table.NumOutputs(),
                  [&](std::int64_t row, std::int64_t output) { return table.values[row * table.stride + output]; });
}

}  // namespace

std::vector<double> SumSquares(Context const& ctx, TreeTask const& task) {
  auto const parts = SumParts(ctx, task);
  std::vector<double> sums;
  for (std::size_t i = 0; i < parts.size(); i += 2) {
    sums.push_back(static_cast<double>(parts[i]) * static_cast<double>(std::int64_t{1} << kLowBits) +
                   static_cast<double>(parts[i + 1]));
  }
  return sums;
}

double NoiseDeviation(TreeParam const& param, TreePlace const& place, double chance_gain) {
  auto const n_rows = static_cast<double>(place.n_rows);
  auto const learnt = Exp(static_cast<double>(param.eta) * static_cast<double>(place.iteration));
  return static_cast<double>(param.random_strength) * chance_gain * (n_rows / (n_rows + learnt));
}

}  // namespace kauri
