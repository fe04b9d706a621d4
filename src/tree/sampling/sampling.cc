#include "tree/sampling/sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "common/host_math.h"
#include "common/random/random.h"
#include "common/threads/parallel_for.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 16;

enum class Purpose : std::uint64_t {
  kRows = 1,
  kTreeColumns = 2,
  kLevelColumns = 3,
  kNodeColumns = 4,
  kRowWeights = 5,
  kThresholds = 6,
  kGainNoise = 7  // 8 is in common/random/gradient_rounding.h
};

std::uint64_t TreeKey(std::uint64_t seed, std::int64_t iteration, std::int64_t tree_in_iteration) {
  auto const key = CombineKeys(seed, static_cast<std::uint64_t>(iteration));
  return CombineKeys(key, static_cast<std::uint64_t>(tree_in_iteration));
}

std::uint64_t PurposeKey(std::uint64_t key, Purpose purpose) {
  return CombineKeys(key, static_cast<std::uint64_t>(purpose));
}

/// Performs the first `count` steps of a Fisher-Yates shuffle.
void KeepUniform(std::size_t count, std::uint64_t key, std::vector<std::uint32_t>* columns) {
  auto const n = columns->size();
  for (std::size_t i = 0; i < count; ++i) {
    std::swap((*columns)[i], (*columns)[i + RandomBelow(key, i, static_cast<std::uint32_t>(n - i))]);
  }
  columns->resize(count);
}

/// Efraimidis & Spirakis 2006, "Weighted random sampling with a reservoir": each column gets an exponentially
/// distributed time whose rate is its weight, and the earliest columns are kept. A weight of zero counts as
/// kLeastWeight, as in XGBoost, so that there are always enough columns.
void KeepWeighted(std::size_t count, std::uint64_t key, Span<float const> weights,
                  std::vector<std::uint32_t>* columns) {
  constexpr float kLeastWeight = 1e-6F;
  std::vector<std::pair<double, std::uint32_t>> times;
  for (auto const column : *columns) {
    auto const weight = std::max(weights[column], kLeastWeight);
    times.emplace_back(-LogOfOnePlus(-RandomUniform(key, column)) / static_cast<double>(weight), column);
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(count), times.end());
  for (std::size_t i = 0; i < count; ++i) (*columns)[i] = times[i].second;
  columns->resize(count);
}

/// Draws some of the columns. weights: of all columns, or empty.
std::vector<std::uint32_t> DrawColumns(std::vector<std::uint32_t> columns, float rate, std::uint64_t key,
                                       Span<float const> weights) {
  auto const count = static_cast<std::size_t>(SampledColumnCount(rate, static_cast<std::int64_t>(columns.size())));
  if (count == columns.size()) return columns;
  if (weights.empty()) {
    KeepUniform(count, key, &columns);
  } else {
    KeepWeighted(count, key, weights, &columns);
  }
  std::sort(columns.begin(), columns.end());
  return columns;
}

std::vector<std::uint32_t> AllColumns(std::int64_t n_features) {
  std::vector<std::uint32_t> columns(n_features);
  std::iota(columns.begin(), columns.end(), 0U);
  return columns;
}

}  // namespace

std::uint64_t RowSamplingKey(std::uint64_t seed, std::int64_t iteration, std::int64_t tree_in_iteration) {
  return PurposeKey(TreeKey(seed, iteration, tree_in_iteration), Purpose::kRows);
}

std::uint64_t RowWeightKey(std::uint64_t seed, std::int64_t iteration, std::int64_t tree_in_iteration) {
  return PurposeKey(TreeKey(seed, iteration, tree_in_iteration), Purpose::kRowWeights);
}

std::vector<std::uint8_t> SampleRows(Context const& ctx, std::int64_t iteration, std::int64_t tree_in_iteration,
                                     float rate, std::int64_t n_rows, RowNumbers const& numbers) {
  if (rate >= 1.0F) return {};
  auto const key = RowSamplingKey(ctx.seed, iteration, tree_in_iteration);
  std::vector<std::uint8_t> used(n_rows);
  auto const mark = [&](auto const& is_used) {
    ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
      numbers.ForEach(begin, end, [&](std::int64_t row, std::int64_t number) { used[row] = is_used(number) ? 1 : 0; });
    });
  };
  if (numbers.NumAll() < 0) {
    mark([&](std::int64_t number) { return IsRowSampled(key, number, rate); });
  } else {
    RowChoice const choice(key, rate, numbers.NumAll());
    mark([&](std::int64_t number) { return choice.Has(number); });
  }
  return used;
}

std::int64_t SampledColumnCount(float rate, std::int64_t n) {
  if (rate >= 1.0F || n == 0) return n;
  return std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::floor(static_cast<double>(rate) * static_cast<double>(n))));
}

ColumnSampler::ColumnSampler(TreeParam const& param, std::uint64_t seed, TreePlace const& place,
                             std::int64_t n_features)
    : tree_key_(TreeKey(seed, place.iteration, place.tree_in_iteration)),
      level_rate_(param.colsample_bylevel),
      node_rate_(param.colsample_bynode),
      weights_(place.feature_weights),
      tree_set_(DrawColumns(AllColumns(n_features), param.colsample_bytree,
                            PurposeKey(tree_key_, Purpose::kTreeColumns), weights_)) {}

std::vector<std::uint32_t> ColumnSampler::LevelSet(std::int32_t depth) const {
  auto const key = PurposeKey(tree_key_, Purpose::kLevelColumns);
  return DrawColumns(tree_set_, level_rate_, CombineKeys(key, static_cast<std::uint64_t>(depth)), weights_);
}

std::uint64_t ColumnSampler::ThresholdKey(std::int32_t node) const {
  return CombineKeys(PurposeKey(tree_key_, Purpose::kThresholds), static_cast<std::uint64_t>(node));
}

std::uint64_t ColumnSampler::NoiseKey(std::int32_t node) const {
  return CombineKeys(PurposeKey(tree_key_, Purpose::kGainNoise), static_cast<std::uint64_t>(node));
}

std::vector<std::uint32_t> ColumnSampler::NodeSet(std::int32_t depth, std::int32_t node) const {
  auto const key = PurposeKey(tree_key_, Purpose::kNodeColumns);
  return DrawColumns(LevelSet(depth), node_rate_, CombineKeys(key, static_cast<std::uint64_t>(node)), weights_);
}

}  // namespace kauri
