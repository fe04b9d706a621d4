#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "booster/model_io/combined_tables.h"
#include "booster/model_io/own_attributes.h"
#include "kauri/ordered_encoding.h"
#include "kauri/tree.h"

namespace kauri::model_io {
namespace {

constexpr char const* kNumbers = "numbers";  ///< key of the numbers per category; absent if there is one
constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMostPermutations = 1024;
constexpr std::int64_t kMostExponent = 256;  ///< bounds the exponents of units; float32 and 30 bits need less

/// All columns, concatenated.
struct FlatTables {
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> segments{0};
  std::vector<std::int32_t> categories;
  FlatSums sums;
};

FlatTables Flatten(OrderedEncoding const& encoding) {
  FlatTables flat;
  for (std::size_t feature = 0; feature < encoding.columns.size(); ++feature) {
    auto const& column = encoding.columns[feature];
    if (column.categories.empty()) continue;
    flat.columns.push_back(static_cast<std::int32_t>(feature));
    flat.categories.insert(flat.categories.end(), column.categories.begin(), column.categories.end());
    flat.sums.Append(column.sums, encoding.settings.n_numbers);
    flat.segments.push_back(static_cast<std::int64_t>(flat.categories.size()));
  }
  return flat;
}

FlatTables ReadFlat(ObjectReader const& reader, std::int64_t n_numbers) {
  FlatTables flat{reader.TakeInt32("columns"), reader.TakeInt64("segments"), reader.TakeInt32("categories"), {}};
  flat.sums = ReadSums(reader, flat.categories.size(), n_numbers);
  CheckSegments(reader, flat.segments, flat.columns.size(), flat.categories.size());
  return flat;
}

void CheckColumns(ObjectReader const& reader, std::vector<std::int32_t> const& columns, std::int64_t n_features) {
  auto const ascends = std::adjacent_find(columns.begin(), columns.end(), std::greater_equal<>()) == columns.end();
  if (!ascends || (!columns.empty() && (columns.front() < 0 || columns.back() >= n_features))) {
    reader.FailAt("columns", "do not ascend from 0 to at most ", n_features - 1);
  }
}

/// Returns the sums over all rows: labels [n_numbers], then weights.
std::vector<std::int64_t> FlatTotal(OrderedEncoding const& encoding) {
  FlatSums flat;
  flat.Append(encoding.totals, encoding.settings.n_numbers);
  flat.labels.push_back(flat.weights.front());
  return flat.labels;
}

void ReadTotal(ObjectReader const& reader, OrderedEncoding* encoding) {
  auto const n_numbers = encoding->settings.n_numbers;
  auto const total = reader.TakeInt64("total");
  if (total.size() < 2 || total.size() - 1 != ToSize(n_numbers) || total.back() < 0) {
    reader.FailAt("total", "is not a sum of labels", n_numbers > 1 ? " for each class" : "", " and one of weights");
  }
  encoding->totals = FlatSums{total, {total.back()}}.Of(0, 1, n_numbers);
  if (FindNotFinite(std::vector<LabelSum>(ToSize(n_numbers)), *encoding) == 0) {
    reader.FailAt("total", "makes no finite number");
  }
}

/// Reads the numbers per category. n_classes: the model's number of classes.
std::int64_t ReadNumbers(ObjectReader const& reader, std::int64_t n_classes) {
  if (!reader.Has(kNumbers)) return 1;
  auto const n_numbers = reader.IntegerIn(kNumbers, 3, kLargest);
  if (n_numbers != NumbersOf(n_classes)) {
    reader.FailAt(kNumbers, "is ", n_numbers, ", but the model has ", n_classes, " classes");
  }
  return n_numbers;
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
  ReadTotal(reader, encoding);
}

/// Fills the columns of `encoding` from `flat`, whose sizes have been checked.
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
    column.sums = flat.sums.Of(flat.segments[i], flat.segments[i + 1], encoding->settings.n_numbers);
    auto const bad = FindNotFinite(column.sums, *encoding);
    if (bad == list.size()) continue;
    reader.FailAt("labels", "of category ", list[bad], " of column ", flat.columns[i], " make no finite number");
  }
}

/// Returns how many of the n_features columns that the file counts exist only in the model: combinations, and numbers
/// beyond the first. \throws Error(kModel) if no other column is left.
std::int64_t CountAdded(ObjectReader const& reader, OrderedEncoding const& encoding, std::size_t n_encoded,
                        std::int64_t n_features) {
  auto const n_combinations = CountCombinations(reader, n_features);
  auto const n_columns = n_combinations + static_cast<std::int64_t>(n_encoded);
  auto const n_further = encoding.settings.n_numbers - 1;
  if (n_further == 0 || n_columns == 0) return n_combinations;
  if (n_further <= (n_features - 1 - n_combinations) / n_columns) return n_combinations + n_columns * n_further;
  reader.FailAt(kNumbers, "is ", n_further + 1, " of ", n_columns, " columns each, more than the ", n_features,
                " features of the model");
}

/// Removes the last `count` features from `model`. They have neither names nor categories of their own.
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
  WriteSums(flat.sums, writer);
  writer->Key("label_unit");
  writer->Integer(ExponentOf(encoding.label_unit));
  writer->Key("weight_unit");
  writer->Integer(ExponentOf(encoding.weight_unit));
  WriteList("total", FlatTotal(encoding), writer);
  writer->Key("rows");
  writer->Integer(encoding.n_rows);
  writer->Key("permutations");
  writer->Integer(encoding.settings.n_permutations);
  writer->Key("seed");
  writer->Integer(static_cast<std::int64_t>(encoding.settings.seed));
  WriteList("strength", std::vector<float>{encoding.settings.strength}, writer);
  if (encoding.settings.n_numbers > 1) {
    writer->Key(kNumbers);
    writer->Integer(encoding.settings.n_numbers);
  }
  WriteCombinations(encoding, writer);
  writer->EndObject();
}

void ReadOrderedTables(ObjectReader const& reader, Model* model) {
  auto encoding = std::make_shared<OrderedEncoding>();
  encoding->settings.n_numbers = ReadNumbers(reader, model->n_classes);
  ReadSettings(reader, encoding.get());
  auto const flat = ReadFlat(reader, encoding->settings.n_numbers);
  auto const n_combinations = CountCombinations(reader, model->n_features);
  RemoveFeatures(CountAdded(reader, *encoding, flat.columns.size(), model->n_features), model);
  CheckColumns(reader, flat.columns, model->n_features);
  encoding->columns.resize(static_cast<std::size_t>(model->n_features));
  TakeColumns(reader, flat, encoding.get());
  ReadCombinations(reader, n_combinations, encoding.get());
  model->categories.ordered = std::move(encoding);
}

}  // namespace kauri::model_io
