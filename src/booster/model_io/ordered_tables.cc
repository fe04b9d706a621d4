#include "booster/model_io/ordered_tables.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "booster/model_io/combined_tables.h"
#include "booster/model_io/flat_lists.h"
#include "kauri/ordered_encoding.h"
#include "kauri/tree.h"

namespace kauri::model_io {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMostPermutations = 1024;
constexpr std::int64_t kMostExponent = 256;  ///< of units; float32 and 30 bits need less

/// The columns end to end.
struct FlatTables {
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> segments{0};
  std::vector<std::int32_t> categories;
  std::vector<std::int64_t> labels;
  std::vector<std::int64_t> weights;
};

FlatTables Flatten(OrderedEncoding const& encoding) {
  FlatTables flat;
  for (std::size_t feature = 0; feature < encoding.columns.size(); ++feature) {
    auto const& column = encoding.columns[feature];
    if (column.categories.empty()) continue;
    flat.columns.push_back(static_cast<std::int32_t>(feature));
    flat.categories.insert(flat.categories.end(), column.categories.begin(), column.categories.end());
    AppendSums(column.sums, &flat.labels, &flat.weights);
    flat.segments.push_back(static_cast<std::int64_t>(flat.categories.size()));
  }
  return flat;
}

FlatTables ReadFlat(ObjectReader const& reader, std::int64_t n_features) {
  FlatTables flat{reader.TakeInt32("columns"), reader.TakeInt64("segments"), reader.TakeInt32("categories"),
                  reader.TakeInt64("labels"), reader.TakeInt64("weights")};
  CheckSums(reader, flat.labels, flat.weights, flat.categories.size());
  auto const& columns = flat.columns;
  auto const ascends = std::adjacent_find(columns.begin(), columns.end(), std::greater_equal<>()) == columns.end();
  if (!ascends || (!columns.empty() && (columns.front() < 0 || columns.back() >= n_features))) {
    reader.FailAt("columns", "do not ascend from 0 to at most ", n_features - 1);
  }
  CheckSegments(reader, flat.segments, columns.size(), flat.categories.size());
  return flat;
}

void ReadSettings(ObjectReader const& reader, OrderedEncoding* encoding) {
  auto& settings = encoding->settings;
  settings.n_permutations = reader.IntegerIn("permutations", 1, kMostPermutations);
  settings.seed = static_cast<std::uint64_t>(reader.IntegerIn("seed", -kLargest - 1, kLargest));
  auto const strength = reader.TakeFloats("strength");
  if (strength.size() != 1 || !(strength[0] > 0.0F) || !std::isfinite(strength[0])) {
    reader.FailAt("strength", "is not one number above 0");
  }
  settings.strength = strength[0];
  encoding->n_rows = reader.IntegerIn("rows", 0, kLargest);
  encoding->label_unit =
      std::ldexp(1.0, static_cast<int>(reader.IntegerIn("label_unit", -kMostExponent, kMostExponent)));
  encoding->weight_unit =
      std::ldexp(1.0, static_cast<int>(reader.IntegerIn("weight_unit", -kMostExponent, kMostExponent)));
  auto const total = reader.TakeInt64("total");
  if (total.size() != 2 || total[1] < 0) reader.FailAt("total", "is not a sum of labels and one of weights");
  encoding->total = {total[0], total[1]};
}

/// The columns of `flat`, whose sizes fit.
void TakeColumns(ObjectReader const& reader, FlatTables const& flat, OrderedEncoding* encoding) {
  for (std::size_t i = 0; i < flat.columns.size(); ++i) {
    auto& column = encoding->columns[flat.columns[i]];
    column.categories.assign(flat.categories.begin() + flat.segments[i],
                             flat.categories.begin() + flat.segments[i + 1]);
    auto const& list = column.categories;
    auto const ascends = std::adjacent_find(list.begin(), list.end(), std::greater_equal<>()) == list.end();
    if (!ascends || list.front() < 0 || list.back() >= kCategoryLimit) {
      reader.FailAt("categories", "of column ", flat.columns[i], " do not ascend from 0 to at most ",
                    kCategoryLimit - 1);
    }
    for (auto value = flat.segments[i]; value < flat.segments[i + 1]; ++value) {
      column.sums.push_back({flat.labels[value], flat.weights[value]});
      if (std::isfinite(encoding->ValueOf(column.sums.back()))) continue;
      reader.FailAt("labels", "of category ", flat.categories[value], " of column ", flat.columns[i],
                    " make no finite number");
    }
  }
}

/// What was read of the features, without the last `count`, which have neither names nor categories of their own.
void RemoveFeatures(std::int64_t count, Model* model) {
  model->n_features -= count;
  auto const n_features = static_cast<std::size_t>(model->n_features);
  auto& categories = model->categories;
  if (categories.names.size() > n_features) categories.names.resize(n_features);
  if (categories.seen.size() > n_features) categories.seen.resize(n_features);
}

int ExponentOf(double unit) { return std::ilogb(unit); }

}  // namespace

void WriteOrderedTables(OrderedEncoding const& encoding, JsonWriter* writer) {
  auto const flat = Flatten(encoding);
  writer->BeginObject();
  WriteList("columns", flat.columns, writer);
  WriteList("segments", flat.segments, writer);
  WriteList("categories", flat.categories, writer);
  WriteList("labels", flat.labels, writer);
  WriteList("weights", flat.weights, writer);
  writer->Key("label_unit");
  writer->Integer(ExponentOf(encoding.label_unit));
  writer->Key("weight_unit");
  writer->Integer(ExponentOf(encoding.weight_unit));
  WriteList("total", std::vector<std::int64_t>{encoding.total.labels, encoding.total.weights}, writer);
  writer->Key("rows");
  writer->Integer(encoding.n_rows);
  writer->Key("permutations");
  writer->Integer(encoding.settings.n_permutations);
  writer->Key("seed");
  writer->Integer(static_cast<std::int64_t>(encoding.settings.seed));
  WriteList("strength", std::vector<float>{encoding.settings.strength}, writer);
  WriteCombinations(encoding, writer);
  writer->EndObject();
}

void ReadOrderedTables(ObjectReader const& reader, Model* model) {
  auto encoding = std::make_shared<OrderedEncoding>();
  ReadSettings(reader, encoding.get());
  auto const n_combinations = CountCombinations(reader, model->n_features);
  RemoveFeatures(n_combinations, model);
  auto const flat = ReadFlat(reader, model->n_features);
  encoding->columns.resize(static_cast<std::size_t>(model->n_features));
  if (!std::isfinite(encoding->ValueOf(LabelSum()))) reader.FailAt("total", "makes no finite number");
  TakeColumns(reader, flat, encoding.get());
  ReadCombinations(reader, n_combinations, encoding.get());
  model->categories.ordered = std::move(encoding);
}

}  // namespace kauri::model_io
