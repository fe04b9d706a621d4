#include "booster/model_io/combined_tables.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "kauri/ordered_encoding.h"
#include "kauri/tree.h"

namespace kauri::model_io {
namespace {

constexpr char const* kMember = "combinations";
constexpr std::int64_t kMostCombined = 8;

/// All combinations, concatenated.
struct FlatCombinations {
  std::vector<std::int32_t> bases;
  std::vector<std::int32_t> features;
  std::vector<std::int64_t> segments{0};
  std::vector<std::int64_t> cells;
  FlatSums sums;
};

FlatCombinations FlattenCombinations(OrderedEncoding const& encoding) {
  FlatCombinations flat;
  for (auto const& combination : encoding.combinations) {
    flat.bases.push_back(combination.base);
    flat.features.push_back(combination.feature);
    flat.cells.insert(flat.cells.end(), combination.cells.begin(), combination.cells.end());
    flat.sums.Append(combination.sums, encoding.settings.n_numbers);
    flat.segments.push_back(static_cast<std::int64_t>(flat.cells.size()));
  }
  return flat;
}

FlatCombinations ReadFlatCombinations(ObjectReader const& reader, std::size_t count, std::int64_t n_numbers) {
  FlatCombinations flat{reader.TakeInt32("bases"),
                        reader.TakeInt32("features"),
                        reader.TakeInt64("segments"),
                        reader.TakeInt64("cells"),
                        {}};
  if (flat.bases.size() != count || flat.features.size() != count) {
    reader.FailAt("bases", "and 'features' are ", flat.bases.size(), " and ", flat.features.size(),
                  " numbers; expected ", count, ", one per combination");
  }
  flat.sums = ReadSums(reader, flat.cells.size(), n_numbers);
  CheckSegments(reader, flat.segments, count, flat.cells.size());
  return flat;
}

/// Checks that the base of the next combination is an encoded column or an earlier combination, that its further column
/// is encoded, that no column occurs twice, and that there are not too many columns.
void CheckMembers(ObjectReader const& reader, OrderedEncoding const& encoding, OrderedCombination const& next) {
  auto const n_features = encoding.columns.size();
  auto const number = encoding.combinations.size();
  auto const is_encoded = [&](std::int32_t column) {
    return column >= 0 && encoding.Encodes(static_cast<std::size_t>(column));
  };
  auto const is_before = [&](std::int32_t column) {
    auto const place = static_cast<std::size_t>(column);
    return column >= 0 && place >= n_features && place < n_features + number;
  };
  if (!is_encoded(next.base) && !is_before(next.base)) {
    reader.FailAt("bases", "of combination ", number, " is ", next.base,
                  ", which is no encoded column and no combination before it");
  }
  if (!is_encoded(next.feature)) {
    reader.FailAt("features", "of combination ", number, " is ", next.feature, ", which is no encoded column");
  }
  auto const members = encoding.MembersOf(static_cast<std::size_t>(next.base));
  if (std::binary_search(members.begin(), members.end(), next.feature)) {
    reader.FailAt("features", "of combination ", number, " is ", next.feature, ", which its base has already");
  }
  if (static_cast<std::int64_t>(members.size()) < encoding.settings.most_combined) return;
  reader.FailAt("bases", "of combination ", number, " has ", members.size(), " columns; expected fewer than ",
                encoding.settings.most_combined);
}

void CheckCells(ObjectReader const& reader, OrderedEncoding const& encoding, OrderedCombination const& next) {
  auto const& cells = next.cells;
  auto const ascends = std::adjacent_find(cells.begin(), cells.end(), std::greater_equal<>()) == cells.end();
  auto const n_base = static_cast<std::int64_t>(encoding.NumPositions(static_cast<std::size_t>(next.base)));
  auto const n_feature = static_cast<std::int64_t>(encoding.NumPositions(static_cast<std::size_t>(next.feature)));
  auto const is_outside = [&](std::int64_t cell) {
    return cell < 0 || cell / kCategoryLimit >= n_base || cell % kCategoryLimit >= n_feature;
  };
  if (ascends && std::none_of(cells.begin(), cells.end(), is_outside)) return;
  reader.FailAt("cells", "of combination ", encoding.combinations.size(), " do not ascend within those of ", n_base,
                " and ", n_feature, " categories");
}

}  // namespace

void WriteCombinations(OrderedEncoding const& encoding, JsonWriter* writer) {
  if (encoding.settings.most_combined == 1) return;
  auto const flat = FlattenCombinations(encoding);
  writer->Key(kMember);
  writer->BeginObject();
  writer->Key("most");
  writer->Integer(encoding.settings.most_combined);
  writer->Key("count");
  writer->Integer(static_cast<std::int64_t>(flat.bases.size()));
  WriteList("bases", flat.bases, writer);
  WriteList("features", flat.features, writer);
  WriteList("segments", flat.segments, writer);
  WriteList("cells", flat.cells, writer);
  WriteSums(flat.sums, writer);
  writer->EndObject();
}

std::int64_t CountCombinations(ObjectReader const& tables, std::int64_t n_features) {
  if (!tables.Has(kMember)) return 0;
  return tables.Child(kMember).IntegerIn("count", 0, std::max<std::int64_t>(n_features - 1, 0));
}

void ReadCombinations(ObjectReader const& tables, std::int64_t count, OrderedEncoding* encoding) {
  if (!tables.Has(kMember)) return;
  auto const reader = tables.Child(kMember);
  encoding->settings.most_combined = reader.IntegerIn("most", 2, kMostCombined);
  auto const flat = ReadFlatCombinations(reader, static_cast<std::size_t>(count), encoding->settings.n_numbers);
  for (std::size_t i = 0; i < flat.bases.size(); ++i) {
    OrderedCombination next;
    next.base = flat.bases[i];
    next.feature = flat.features[i];
    CheckMembers(reader, *encoding, next);
    next.cells.assign(flat.cells.begin() + flat.segments[i], flat.cells.begin() + flat.segments[i + 1]);
    CheckCells(reader, *encoding, next);
    next.sums = flat.sums.Of(flat.segments[i], flat.segments[i + 1], encoding->settings.n_numbers);
    auto const bad = FindNotFinite(next.sums, *encoding);
    if (bad < next.cells.size())
      reader.FailAt("labels", "of cell ", next.cells[bad], " of combination ", i, " make no finite number");
    encoding->combinations.push_back(std::move(next));
  }
}

void FlatSums::Append(std::vector<LabelSum> const& sums, std::int64_t n_numbers) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    labels.push_back(sums[i].labels);
    if (i % ToSize(n_numbers) == 0) weights.push_back(sums[i].weights);
  }
}

std::vector<LabelSum> FlatSums::Of(std::int64_t begin, std::int64_t end, std::int64_t n_numbers) const {
  std::vector<LabelSum> sums;
  sums.reserve(ToSize((end - begin) * n_numbers));
  for (auto category = begin; category < end; ++category) {
    for (std::int64_t number = 0; number < n_numbers; ++number) {
      sums.push_back({labels[category * n_numbers + number], weights[category]});
    }
  }
  return sums;
}

void WriteSums(FlatSums const& sums, JsonWriter* writer) {
  WriteList("labels", sums.labels, writer);
  WriteList("weights", sums.weights, writer);
}

FlatSums ReadSums(ObjectReader const& reader, std::size_t n_categories, std::int64_t n_numbers) {
  FlatSums sums{reader.TakeInt64("labels"), reader.TakeInt64("weights")};
  auto const n_labels = sums.labels.size();
  auto const is_full = n_labels % ToSize(n_numbers) == 0 && n_labels / ToSize(n_numbers) == n_categories;
  if (!is_full || sums.weights.size() != n_categories) {
    reader.FailAt("labels", "and 'weights' are ", n_labels, " and ", sums.weights.size(), " numbers; expected ",
                  n_categories, ", one per category", n_numbers > 1 ? ", of labels one per class" : "");
  }
  auto const& weights = sums.weights;
  if (std::any_of(weights.begin(), weights.end(), [](std::int64_t weight) { return weight < 0; })) {
    reader.FailAt("weights", "has a number below 0");
  }
  return sums;
}

std::size_t FindNotFinite(std::vector<LabelSum> const& sums, OrderedEncoding const& encoding) {
  auto const n_numbers = ToSize(encoding.settings.n_numbers);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (!std::isfinite(encoding.ValueOf(sums[i], static_cast<std::int64_t>(i % n_numbers)))) return i / n_numbers;
  }
  return sums.size() / n_numbers;
}

void CheckSegments(ObjectReader const& reader, std::vector<std::int64_t> const& segments, std::size_t n_columns,
                   std::size_t n_values) {
  auto const rises = std::adjacent_find(segments.begin(), segments.end(), std::greater_equal<>()) == segments.end();
  if (segments.size() == n_columns + 1 && segments.front() == 0 && rises &&
      segments.back() == static_cast<std::int64_t>(n_values)) {
    return;
  }
  reader.FailAt("segments", "does not ascend from 0 to ", n_values, " over ", n_columns, " columns");
}

}  // namespace kauri::model_io
