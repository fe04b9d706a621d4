#include "tree/sampling/row_weights.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/random/random.h"
#include "common/threads/parallel_for.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 14;
constexpr double kSteps = 1024.0;  // steps per unit of weight

}  // namespace

double BootstrapWeight(std::uint64_t key, std::int64_t number, double temperature) {
  auto const exponential = -std::log1p(-RandomUniform(key, static_cast<std::uint64_t>(number)));
  return std::max(1.0, std::nearbyint(kSteps * std::pow(exponential, temperature))) / kSteps;
}

GradientSample WeighRows(Context const& ctx, Span<GradientPair const> gradients, std::int64_t n_outputs,
                         OutputRange outputs, RowWeighing const& weighing, std::vector<std::uint8_t> used) {
  auto const n_rows = static_cast<std::int64_t>(gradients.size()) / n_outputs;
  auto const width = outputs.end - outputs.begin;
  GradientSample sample;
  sample.used = std::move(used);
  sample.pairs.resize(n_rows * width);
  sample.chances.resize(n_rows);
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    weighing.numbers.ForEach(begin, end, [&](std::int64_t row, std::int64_t number) {
      if (!sample.used.empty() && sample.used[row] == 0) return;
      auto const chance = 1.0 / BootstrapWeight(weighing.key, number, weighing.temperature);
      sample.chances[row] = chance;
      for (std::int64_t output = 0; output < width; ++output) {
        sample.pairs[row * width + output] =
            DivideByChance(gradients[row * n_outputs + outputs.begin + output], chance);
      }
    });
  });
  return sample;
}

}  // namespace kauri
