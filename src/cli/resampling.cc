#include "cli/resampling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/random.h"

namespace kauri::cli {
namespace {

constexpr double kTail = 0.025;

/// The weights of rows, or queries, that are drawn as often as there are some.
std::vector<float> DrawnWeights(std::vector<float> const& weights, std::uint64_t key) {
  std::vector<float> drawn(weights.size(), 0.0F);
  auto const n = static_cast<std::uint32_t>(weights.size());
  for (std::uint32_t draw = 0; draw < n; ++draw) {
    auto const chosen = RandomBelow(key, draw, n);
    drawn[chosen] += weights[chosen];
  }
  return drawn;
}

/// Between the two neighbours in proportion, as NumPy's default.
double Quantile(std::vector<double> const& sorted, double share) {
  auto const place = share * static_cast<double>(sorted.size() - 1);
  auto const below = static_cast<std::size_t>(place);
  auto const above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

Interval BootstrapInterval(Context const& ctx, Metric const& metric, Span<float const> predictions,
                           MetaInfo const& info, ResamplingOptions const& options) {
  auto const n = info.group_ptr.empty() ? info.n_rows : static_cast<std::int64_t>(info.group_ptr.size()) - 1;
  auto const weights = info.weights.empty() ? std::vector<float>(static_cast<std::size_t>(n), 1.0F) : info.weights;
  auto drawn = info;
  std::vector<double> values;
  for (std::int64_t i = 0; i < options.n_resamples; ++i) {
    drawn.weights = DrawnWeights(weights, CombineKeys(options.seed, static_cast<std::uint64_t>(i)));
    auto const value = metric.Evaluate(ctx, predictions, drawn);
    if (std::isfinite(value)) values.push_back(value);
  }
  if (values.empty()) return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
  std::sort(values.begin(), values.end());
  return {Quantile(values, kTail), Quantile(values, 1 - kTail)};
}

}  // namespace kauri::cli
