#include "tree/sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/parallel_for.h"
#include "common/random.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 16;

enum class Purpose : std::uint64_t { kRows = 1, kTreeColumns = 2, kLevelColumns = 3, kNodeColumns = 4 };

std::uint64_t TreeKey(std::uint64_t seed, std::int64_t iteration, std::int64_t tree_in_iteration) {
  auto const key = CombineKeys(seed, static_cast<std::uint64_t>(iteration));
  return CombineKeys(key, static_cast<std::uint64_t>(tree_in_iteration));
}

std::uint64_t PurposeKey(std::uint64_t key, Purpose purpose) {
  return CombineKeys(key, static_cast<std::uint64_t>(purpose));
}

/// The first `count` steps of a Fisher-Yates shuffle, sorted.
std::vector<std::uint32_t> DrawColumns(std::vector<std::uint32_t> columns, float rate, std::uint64_t key) {
  auto const n = columns.size();
  auto const count = static_cast<std::size_t>(SampledColumnCount(rate, static_cast<std::int64_t>(n)));
  if (count == n) return columns;
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(columns[i], columns[i + RandomBelow(key, i, static_cast<std::uint32_t>(n - i))]);
  }
  columns.resize(count);
  std::sort(columns.begin(), columns.end());
  return columns;
}

std::vector<std::uint32_t> AllColumns(std::int64_t n_features) {
  std::vector<std::uint32_t> columns(static_cast<std::size_t>(n_features));
  std::iota(columns.begin(), columns.end(), 0U);
  return columns;
}

}  // namespace

std::uint64_t RowSamplingKey(std::uint64_t seed, std::int64_t iteration, std::int64_t tree_in_iteration) {
  return PurposeKey(TreeKey(seed, iteration, tree_in_iteration), Purpose::kRows);
}

std::vector<std::uint8_t> SampleRows(Context const& ctx, std::int64_t iteration, std::int64_t tree_in_iteration,
                                     float rate, std::int64_t n_rows) {
  if (rate >= 1.0F) return {};
  auto const key = RowSamplingKey(ctx.seed, iteration, tree_in_iteration);
  std::vector<std::uint8_t> used(static_cast<std::size_t>(n_rows));
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (auto row = begin; row < end; ++row) {
      used[static_cast<std::size_t>(row)] = IsRowSampled(key, row, rate) ? 1 : 0;
    }
  });
  return used;
}

std::int64_t SampledColumnCount(float rate, std::int64_t n) {
  if (rate >= 1.0F || n == 0) return n;
  return std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::floor(static_cast<double>(rate) * static_cast<double>(n))));
}

ColumnSampler::ColumnSampler(TreeParam const& param, std::uint64_t seed, TreeTask const& task, std::int64_t n_features)
    : tree_key_(TreeKey(seed, task.iteration, task.tree_in_iteration)),
      level_rate_(param.colsample_bylevel),
      node_rate_(param.colsample_bynode),
      tree_set_(
          DrawColumns(AllColumns(n_features), param.colsample_bytree, PurposeKey(tree_key_, Purpose::kTreeColumns))) {}

std::vector<std::uint32_t> ColumnSampler::LevelSet(std::int32_t depth) const {
  auto const key = PurposeKey(tree_key_, Purpose::kLevelColumns);
  return DrawColumns(tree_set_, level_rate_, CombineKeys(key, static_cast<std::uint64_t>(depth)));
}

std::vector<std::uint32_t> ColumnSampler::NodeSet(std::int32_t depth, std::int32_t node) const {
  auto const key = PurposeKey(tree_key_, Purpose::kNodeColumns);
  return DrawColumns(LevelSet(depth), node_rate_, CombineKeys(key, static_cast<std::uint64_t>(node)));
}

}  // namespace kauri
