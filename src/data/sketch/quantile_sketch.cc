#include "data/sketch/quantile_sketch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "collective/reduce.h"
#include "collective/row_ranges.h"
#include "common/large_memory.h"
#include "common/threads/parallel_for.h"
#include "data/column_parts.h"
#include "data/sketch/group_columns.h"
#include "data/sketch/group_cuts.h"
#include "data/sketch/selected_keys.h"
#include "data/sketch/sketch_cuts.h"
#include "data/sketch/weighted_keys.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr double kLargest = std::numeric_limits<float>::max();
constexpr double kBoundGap = 1e-5;  // XGBoost's distance of the outer bounds from the data

/// Both bounds are computed in float64 and rounded once, as in XGBoost.
float UpperBound(float max_value) {
  auto const value = static_cast<double>(max_value);
  auto const bound = value + (std::fabs(value) + kBoundGap);
  return bound > kLargest ? std::numeric_limits<float>::infinity() : static_cast<float>(bound);
}
float LowerBound(float min_value) {
  auto const value = static_cast<double>(min_value);
  return static_cast<float>(std::max(value - (std::fabs(value) + kBoundGap), -kLargest));
}

ColumnRanks RanksOf(std::vector<WeightedKey> const& sorted, WeightUnit const& unit) {
  ColumnRanks ranks;
  std::int64_t rank = 0;
  for (std::size_t i = 0; i < sorted.size();) {
    auto const key = sorted[i].key;
    for (; i < sorted.size() && sorted[i].key == key; ++i) rank += unit.Of(sorted[i].weight);
    ranks.values.push_back(FromKey(key));
    ranks.below.push_back(static_cast<double>(rank));
  }
  return ranks;
}

/// Memory that a thread reuses.
struct Scratch {
  std::vector<std::uint32_t> keys;
  std::vector<std::uint32_t> sort;
  SelectedKeys selected;
  std::vector<WeightedKey> weighted;
  std::vector<WeightedKey> weighted_sort;
};

/// Collects the present values as keys, in their order. Writes every value but advances only for present ones.
void CollectKeys(Span<float const> values, std::vector<std::uint32_t>* keys) {
  ResizeLarge(keys, values.size());
  std::size_t count = 0;
  for (auto const value : values) {
    (*keys)[count] = ToKey(value);
    count += static_cast<std::size_t>(value == value);
  }
  keys->resize(count);
}

/// Returns the cuts of MakeCuts for the values, whose keys are sorted. Some value must be present.
std::vector<float> CutsOfSorted(Span<float const> values, bool has_missing, std::uint32_t max_bin, Scratch* scratch) {
  CollectKeys(values, &scratch->keys);
  SortKeys(&scratch->keys, &scratch->sort);
  return MakeCuts(KeyBoundaries(scratch->keys), has_missing, max_bin);
}

/// Returns the cuts of MakeCuts. Sorts all keys only if a selection of them does not suffice.
FeatureCuts EvenlyWeightedCuts(Span<float const> values, std::int64_t n_rows, std::uint32_t max_bin, Scratch* scratch) {
  constexpr std::size_t kManyValues = std::size_t{1} << 17U;
  auto& selected = scratch->selected;
  auto const is_selected = values.size() >= kManyValues && selected.Select(values, n_rows, max_bin);
  auto feature = is_selected ? selected.Summary() : SummaryOf(values);
  if (feature.n_values == 0) return feature;
  auto const has_missing = feature.n_values < n_rows;
  if (is_selected) {
    EvenCuts(selected, NumEvenBins(has_missing, max_bin), &feature.values);
    if (selected.IsComplete()) return feature;
  }
  feature.values = CutsOfSorted(values, has_missing, max_bin, scratch);
  return feature;
}

/// Returns cuts with one bin per category.
FeatureCuts CategoryCuts(std::vector<std::int32_t> const& categories) {
  FeatureCuts cuts;
  for (auto const category : categories) cuts.AddValue(static_cast<float>(category));
  cuts.values.assign(categories.begin() + 1, categories.end());
  return cuts;
}

FeatureCuts WeightedCuts(ColumnPart const& column, CutTask const& task, Scratch* scratch) {
  FeatureCuts feature;
  auto& keys = scratch->weighted;
  keys.clear();
  for (std::size_t i = 0; i < column.values.size(); ++i) {
    auto const value = column.values[i];
    if (std::isnan(value)) continue;
    feature.AddValue(value);
    if (task.unit->Of(column.weights[i]) > 0) keys.push_back({ToKey(value), column.weights[i]});
  }
  SortKeys(&keys, &scratch->weighted_sort);
  feature.values = MakeCuts(RankBoundaries(RanksOf(keys, *task.unit)), feature.n_values < task.n_rows, task.max_bin);
  return feature;
}

FeatureCuts ExactCutsOf(ColumnPart const& column, CutTask const& task, Scratch* scratch) {
  return task.unit ? WeightedCuts(column, task, scratch)
                   : EvenlyWeightedCuts(column.values, task.n_rows, task.max_bin, scratch);
}

/// data: a DataMatrix or DenseRows.
template <typename Data>
std::vector<FeatureCuts> ExactCutsOfAll(Context const& ctx, Data const& data, int max_bin, Span<float const> weights,
                                        CategoryLists const& categories) {
  auto const task = MakeCutTask(ctx, data.NumRows(), max_bin, weights);
  if (IsDistributed(ctx)) return CutsOverRanks(ctx, data, weights, task, categories);
  std::vector<FeatureCuts> cuts(data.NumCols());
  std::vector<Scratch> scratches(ctx.threads);
  ForEachColumnPart(ctx, data, data.NumRows(), weights, [&](std::size_t feature, ColumnPart const& column) {
    if (!categories.empty() && !categories[feature].empty()) return;
    cuts[feature] = ExactCutsOf(column, task, &scratches[ThreadIndex()]);
  });
  return cuts;
}

}  // namespace

FeatureCuts SummaryOf(Span<float const> values) {
  auto least = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t largest = 0;
  std::int64_t n_values = 0;
  for (auto const value : values) {
    bool const is_present = value == value;
    auto const key = ToKey(value);
    least = std::min(least, is_present ? key : std::numeric_limits<std::uint32_t>::max());
    largest = std::max(largest, is_present ? key : 0U);
    n_values += static_cast<std::int64_t>(is_present);
  }
  FeatureCuts feature;
  feature.n_values = n_values;
  if (n_values > 0) {
    feature.min = FromKey(least);
    feature.max = FromKey(largest);
  }
  return feature;
}

CutTask MakeCutTask(Context const& ctx, std::int64_t n_rows_here, int max_bin, Span<float const> weights) {
  CutTask task;
  task.n_rows_here = n_rows_here;
  task.n_rows = CountGlobalRows(ctx, n_rows_here);
  task.max_bin = static_cast<std::uint32_t>(max_bin);
  task.unit = FindWeightUnit(ctx, weights, n_rows_here, task.n_rows);
  return task;
}

QuantileCuts MakeQuantileCuts(Context const& ctx, DataMatrix const& data, int max_bin, CutOptions const& options) {
  RequireSameColumns(ctx, data.Info());
  auto categories = UnionOverRanks(ctx, FindCategories(ctx, data));
  auto const features = options.sketch == nullptr ? ExactCutsOfAll(ctx, data, max_bin, options.weights, categories)
                                                  : SketchedCuts(ctx, data, max_bin, options);
  return JoinCuts(features, std::move(categories));
}

std::vector<FeatureCuts> MakeExactCuts(Context const& ctx, DenseRows const& rows, int max_bin,
                                       Span<float const> weights) {
  return ExactCutsOfAll(ctx, rows, max_bin, weights, {});
}

std::vector<FeatureCuts> MakeExactCuts(Context const& ctx, DataMatrix const& rows, int max_bin,
                                       Span<float const> weights) {
  return ExactCutsOfAll(ctx, rows, max_bin, weights, {});
}

std::vector<FeatureCuts> MakeExactCuts(Context const& ctx, std::vector<ColumnPart> const& columns,
                                       CutTask const& task) {
  auto const n_columns = static_cast<std::int64_t>(columns.size());
  if (IsDistributed(ctx)) {
    return CutsOverRanks(ctx, n_columns, task, [&](std::int64_t first, std::int64_t last) {
      return std::vector<ColumnPart>(columns.begin() + first, columns.begin() + last);
    });
  }
  std::vector<FeatureCuts> cuts(columns.size());
  std::vector<Scratch> scratches(ctx.threads);
  ParallelFor(ctx, n_columns, [&](std::int64_t column) {
    cuts[column] = ExactCutsOf(columns[column], task, &scratches[ThreadIndex()]);
  });
  return cuts;
}

QuantileCuts JoinCuts(std::vector<FeatureCuts> const& features, CategoryLists categories) {
  QuantileCuts cuts;
  cuts.categories = FillGaps(std::move(categories));
  cuts.feature_begin.push_back(0);
  for (std::size_t f = 0; f < features.size(); ++f) {
    auto const feature = cuts.IsCategorical(f) ? CategoryCuts(cuts.categories[f]) : features[f];
    auto const is_empty = feature.n_values == 0;
    cuts.values.insert(cuts.values.end(), feature.values.begin(), feature.values.end());
    cuts.values.push_back(UpperBound(is_empty ? 0.0F : feature.max));
    cuts.min_values.push_back(LowerBound(is_empty ? 0.0F : feature.min));
    cuts.first_values.push_back(is_empty ? cuts.min_values.back() : feature.min);
    cuts.feature_begin.push_back(static_cast<std::uint32_t>(cuts.values.size()));
  }
  return cuts;
}

QuantileCuts WithFirstValuesOf(std::vector<FeatureCuts> const& features, QuantileCuts cuts) {
  for (std::size_t f = 0; f < features.size(); ++f) {
    auto const has_first = features[f].n_values > 0 && features[f].min < cuts.Of(f)[0];
    if (has_first) cuts.first_values[f] = features[f].min;
  }
  return cuts;
}

QuantileCuts ReplaceCategories(QuantileCuts const& cuts, CategoryLists categories) {
  std::vector<FeatureCuts> features(cuts.min_values.size());
  for (std::size_t f = 0; f < features.size(); ++f) {
    features[f].values.assign(cuts.Of(f), cuts.Of(f) + cuts.NumBins(f) - 1);
  }
  auto replaced = JoinCuts(features, std::move(categories));
  for (std::size_t f = 0; f < features.size(); ++f) {
    if (replaced.IsCategorical(f)) continue;
    replaced.values[replaced.feature_begin[f + 1] - 1] = cuts.values[cuts.feature_begin[f + 1] - 1];
    replaced.min_values[f] = cuts.min_values[f];
    replaced.first_values[f] = cuts.first_values[f];
  }
  return replaced;
}

}  // namespace kauri
