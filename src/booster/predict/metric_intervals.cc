#include "booster/predict/metric_intervals.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "booster/predict/prediction.h"
#include "common/random/random.h"
#include "data/meta_info.h"

namespace kauri {
namespace {

constexpr double kTail = 0.025;

/// Inputs of metrics for a set of rows.
struct RowsOfMetrics {
  std::vector<float> predictions;  ///< [n_rows, n_outputs]
  MetaInfo info;
};

/// Returns the weights of queries in a resample: n draws from n queries, with replacement.
std::vector<float> DrawnWeights(std::vector<float> const& weights, std::uint64_t key) {
  std::vector<float> drawn(weights.size(), 0.0F);
  auto const n = static_cast<std::uint32_t>(weights.size());
  for (std::uint32_t draw = 0; draw < n; ++draw) {
    auto const chosen = RandomBelow(key, draw, n);
    drawn[chosen] += weights[chosen];
  }
  return drawn;
}

/// Returns a resample: n draws from n rows, with replacement. Rows are repeated, so that metrics without weights see
/// it.
RowsOfMetrics DrawnRows(Span<float const> predictions, MetaInfo const& info, std::uint64_t key) {
  auto const n = static_cast<std::uint32_t>(info.n_rows);
  std::vector<std::size_t> rows;
  for (std::uint32_t draw = 0; draw < n; ++draw) rows.push_back(RandomBelow(key, draw, n));
  auto const gather = [&](Span<float const> from) {
    auto const width = from.size() / n;
    std::vector<float> to;
    to.reserve(from.size());
    for (auto const row : rows) to.insert(to.end(), from.begin() + row * width, from.begin() + (row + 1) * width);
    return to;
  };
  RowsOfMetrics drawn{gather(predictions), info};
  drawn.info.labels = gather(info.labels);
  drawn.info.weights = gather(info.weights);
  drawn.info.label_lower_bound = gather(info.label_lower_bound);
  drawn.info.label_upper_bound = gather(info.label_upper_bound);
  return drawn;
}

/// Returns a quantile, interpolated linearly between its two neighbours (NumPy's default).
double Quantile(std::vector<double> const& sorted, double share) {
  auto const place = share * static_cast<double>(sorted.size() - 1);
  auto const below = static_cast<std::size_t>(place);
  auto const above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// Returns the predictions that metrics are evaluated on, [n_rows, n_outputs].
std::vector<float> ValuesForMetrics(ReadyModel const& ready, DataMatrix const& data) {
  auto const view = data.View();
  GivenRows const rows{*view, data.Info().base_margin, DeclaredColumns::Of(data.Info())};
  PredictOptions margins;
  margins.kind = PredictKind::kMargin;
  auto values = Predict(ready, rows, margins).values;
  auto const& parts = *ready.Parts();
  if (!parts.objective->EvaluatesMargins()) {
    parts.objective->TransformMargins(parts.ctx, values, ready.GetModel().NumOutputs());
  }
  return values;
}

}  // namespace

Interval BootstrapInterval(Context const& ctx, Metric const& metric, Span<float const> predictions,
                           MetaInfo const& info, ResamplingOptions const& options) {
  auto const has_queries = !info.group_ptr.empty();
  auto const n_queries = has_queries ? info.group_ptr.size() - 1 : 0;
  auto const weights = info.weights.empty() ? std::vector<float>(n_queries, 1.0F) : info.weights;
  auto queries = info;
  std::vector<double> values;
  for (std::int64_t i = 0; i < options.n_resamples && info.n_rows > 0; ++i) {
    auto const key = CombineKeys(options.seed, static_cast<std::uint64_t>(i));
    auto value = 0.0;
    if (has_queries) {
      queries.weights = DrawnWeights(weights, key);
      value = metric.Evaluate(ctx, predictions, queries);
    } else {
      auto const drawn = DrawnRows(predictions, info, key);
      value = metric.Evaluate(ctx, drawn.predictions, drawn.info);
    }
    if (std::isfinite(value)) values.push_back(value);
  }
  if (values.empty()) return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
  std::sort(values.begin(), values.end());
  return {Quantile(values, kTail), Quantile(values, 1 - kTail)};
}

std::vector<MetricWithInterval> EvaluateWithIntervals(ReadyModel const& ready, DataMatrix const& data,
                                                      ResamplingOptions const& options) {
  auto const& parts = *ready.Parts();
  auto const& info = data.Info();
  ValidateInfo(info);
  auto const values = ValuesForMetrics(ready, data);
  constexpr auto kNone = std::numeric_limits<double>::quiet_NaN();
  std::vector<MetricWithInterval> found;
  for (auto const& metric : parts.metrics) {
    MetricWithInterval one{metric->Name(), metric->Evaluate(parts.ctx, values, info), {kNone, kNone}};
    if (options.n_resamples > 0) one.interval = BootstrapInterval(parts.ctx, *metric, values, info, options);
    found.push_back(std::move(one));
  }
  return found;
}

}  // namespace kauri
