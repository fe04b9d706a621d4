#include "data/categories/ordered_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "common/fixed_point.h"
#include "common/memory_size.h"
#include "common/random/random.h"
#include "common/shuffle/shuffle.h"
#include "common/threads/parallel_for.h"
#include "data/categories/categories.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerTile = 1 << 10;
// separates the permutations from other random numbers of the same seed
constexpr std::uint64_t kPurpose = 0x6F726465726564ULL;

/// Returns the weight of each row, [n_rows]; a row of a query has the weight of the query.
std::vector<float> RowWeights(MetaInfo const& info) {
  if (info.weights.empty() || info.group_ptr.empty()) return info.weights;
  std::vector<float> weights(static_cast<std::size_t>(info.n_rows));
  for (std::size_t group = 0; group + 1 < info.group_ptr.size(); ++group) {
    std::fill(weights.begin() + info.group_ptr[group], weights.begin() + info.group_ptr[group + 1],
              info.weights[group]);
  }
  return weights;
}

/// Returns the class of each row, [n_rows]; empty if a category has one number.
std::vector<std::int32_t> ClassesOf(MetaInfo const& info, std::int64_t n_classes) {
  if (n_classes == 1) return {};
  std::vector<std::int32_t> classes;
  for (auto const label : info.labels) {
    if (!(label >= 0.0F && label < static_cast<float>(n_classes)) || label != std::floor(label)) {
      Fail(ErrorKind::kData, "categorical_encoding=ordered: the label of row ", classes.size(), " is ", label,
           ", which is none of the ", n_classes, " classes; number the classes from 0.");
    }
    classes.push_back(static_cast<std::int32_t>(label));
  }
  return classes;
}

FixedGradients QuantiseLabels(Context const& ctx, MetaInfo const& info, bool has_classes) {
  auto const weights = RowWeights(info);
  std::vector<GradientPair> pairs(static_cast<std::size_t>(info.n_rows));
  for (std::size_t row = 0; row < pairs.size(); ++row) {
    auto const weight = weights.empty() ? 1.0F : weights[row];
    pairs[row] = {has_classes ? weight : info.labels[row] * weight, weight};
    if (std::isfinite(pairs[row].gradient)) continue;
    Fail(ErrorKind::kData, "categorical_encoding=ordered: the label of row ", row, " is ", info.labels[row],
         " and its weight ", weight, ", whose product is no finite number; leave the row out or scale the labels.");
  }
  FixedGradients fixed;
  QuantiseGradients(ctx, pairs, 1, 0, {}, &fixed);
  return fixed;
}

/// Reads the cells of chosen features, a tile of rows at a time.
class CategoryTile {
 public:
  CategoryTile(DataView const& rows, std::vector<std::size_t> const& features) : rows_(rows), features_(features) {
    slots_.resize(static_cast<std::size_t>(rows.NumCols()), -1);
    for (std::size_t i = 0; i < features.size(); ++i) slots_[features[i]] = static_cast<std::int32_t>(i);
  }

  /// Calls fn(row, index among the features, value) for rows [begin, end).
  template <typename Fn>
  void ForEach(std::int64_t begin, std::int64_t end, Fn&& fn) const {
    auto const n_slots = static_cast<std::int64_t>(features_.size());
    auto const n_cols = rows_.NumCols();
    std::vector<float> tile(SizeInMemory((end - begin) * n_slots));
    auto const is_narrow = rows_.CopyFeatures(begin, end, slots_, n_slots, tile.data());
    auto const width = is_narrow ? n_slots : n_cols;
    if (!is_narrow) {
      tile.resize(SizeInMemory((end - begin) * n_cols));
      rows_.CopyRows(begin, end, n_cols, tile.data());
    }
    for (auto row = begin; row < end; ++row) {
      auto const* cells = tile.data() + (row - begin) * width;
      for (std::size_t i = 0; i < features_.size(); ++i) fn(row, i, cells[is_narrow ? i : features_[i]]);
    }
  }

 private:
  DataView const& rows_;
  std::vector<std::size_t> const& features_;
  std::vector<std::int32_t> slots_;
};

void FindPositions(Context const& ctx, DataMatrix const& train, CategoryLists const& lists, OrderedRows* rows) {
  rows->positions.assign(rows->features.size(), std::vector<std::int32_t>(static_cast<std::size_t>(train.NumRows())));
  auto const view = train.View();
  CategoryTile const tile(*view, rows->features);
  ParallelForBlocks(ctx, train.NumRows(), kRowsPerTile, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    tile.ForEach(begin, end, [&](std::int64_t row, std::size_t i, float value) {
      auto& position = rows->positions[i][static_cast<std::size_t>(row)];
      position = kMissingPosition;
      if (std::isnan(value)) return;
      auto const& list = lists[rows->features[i]];
      auto const found = std::lower_bound(list.begin(), list.end(), static_cast<std::int32_t>(value));
      position = static_cast<std::int32_t>(found - list.begin());
    });
  });
}

}  // namespace

std::vector<std::int64_t> PermutationOf(Context const& ctx, OrderedEncoding const& encoding, std::int64_t number,
                                        std::int64_t count) {
  auto const key = CombineKeys(CombineKeys(encoding.settings.seed, kPurpose), static_cast<std::uint64_t>(number));
  return Shuffle(encoding.n_rows, key).First(ctx, count);
}

std::vector<LabelSum> SumsOf(OrderedRows const& rows, std::vector<std::int32_t> const& positions,
                             std::size_t n_positions, std::int64_t n_numbers) {
  std::vector<LabelSum> sums(SizeInMemory(static_cast<std::int64_t>(n_positions) * n_numbers));
  for (std::size_t row = 0; row < positions.size(); ++row) {
    if (positions[row] == kMissingPosition) continue;
    rows.AddTo(SumsAt(&sums, positions[row], n_numbers), static_cast<std::int64_t>(row));
  }
  return sums;
}

OrderedEncoding MeasureOrdered(Context const& ctx, DataMatrix const& train, OrderedSettings const& settings,
                               OrderedRows* rows) {
  auto lists = FindCategories(ctx, train);
  *rows = {};
  for (std::size_t feature = 0; feature < lists.size(); ++feature) {
    if (!lists[feature].empty()) rows->features.push_back(feature);
  }
  FindPositions(ctx, train, lists, rows);
  auto const n_numbers = settings.n_numbers;
  rows->classes = ClassesOf(train.Info(), n_numbers);
  auto fixed = QuantiseLabels(ctx, train.Info(), n_numbers > 1);
  std::vector<LabelSum> const none(static_cast<std::size_t>(n_numbers));
  OrderedEncoding encoding{settings, {}, {}, none, train.NumRows(), fixed.unit.gradient, fixed.unit.hessian};
  rows->pairs = std::move(fixed.pairs);
  for (std::int64_t row = 0; row < encoding.n_rows; ++row) rows->AddTo(encoding.totals, row);
  encoding.columns.resize(lists.size());
  ParallelFor(ctx, static_cast<std::int64_t>(rows->features.size()), [&](std::int64_t i) {
    auto const& positions = rows->positions[i];
    auto& column = encoding.columns[rows->features[i]];
    column.categories = std::move(lists[rows->features[i]]);
    column.sums = SumsOf(*rows, positions, column.categories.size(), n_numbers);
  });
  if (settings.most_combined > 1) AddCombinations(ctx, &encoding, rows);
  return encoding;
}

std::vector<float> OrderedValues(Context const& ctx, OrderedEncoding const& encoding, OrderedRows const& rows,
                                 std::int64_t permutation) {
  auto const order = PermutationOf(ctx, encoding, permutation, encoding.n_rows);
  auto const n_encoded = static_cast<std::int64_t>(rows.features.size());
  auto const n_numbers = encoding.settings.n_numbers;
  auto const n_values = SizeInMemory(static_cast<std::int64_t>(order.size()) * n_encoded * n_numbers);
  std::vector<float> values(n_values, std::numeric_limits<float>::quiet_NaN());
  ParallelFor(ctx, n_encoded, [&](std::int64_t i) {
    auto const n_positions = static_cast<std::int64_t>(encoding.NumPositions(rows.features[i]));
    std::vector<LabelSum> before(SizeInMemory(n_positions * n_numbers));
    for (auto const row : order) {
      auto const position = rows.positions[i][row];
      if (position == kMissingPosition) continue;
      auto const sums = SumsAt(&before, position, n_numbers);
      auto* const of_row = values.data() + (row * n_encoded + i) * n_numbers;
      for (std::int64_t number = 0; number < n_numbers; ++number) {
        of_row[number] = encoding.ValueOf(sums[number], number);
      }
      rows.AddTo(sums, row);
    }
  });
  return values;
}

}  // namespace kauri
