#include "kauri/ordered_encoding.h"

#include <algorithm>
#include <limits>

#include "kauri/categories.h"
#include "kauri/tree.h"

namespace kauri {
namespace {

/// Returns the index of `value` in an ascending list, or kUnknownPosition.
template <typename T>
std::int32_t PlaceOf(std::vector<T> const& list, T value) {
  auto const found = std::lower_bound(list.begin(), list.end(), value);
  if (found == list.end() || *found != value) return kUnknownPosition;
  return static_cast<std::int32_t>(found - list.begin());
}

}  // namespace

bool ModelCategories::Encodes(std::size_t feature) const { return ordered != nullptr && ordered->Encodes(feature); }

bool ModelCategories::HadNone(std::size_t feature) const {
  if (feature < names.size() && names[feature].Size() > 0) return false;
  return feature < seen.size() && seen[feature].empty() && !Encodes(feature);
}

std::int64_t ModelCategories::NumAddedColumns() const { return ordered == nullptr ? 0 : ordered->NumAddedColumns(); }

std::int64_t OrderedCombination::CellOf(std::int32_t base_position, std::int32_t position) {
  return std::int64_t{base_position} * kCategoryLimit + position;
}

std::int32_t OrderedCombination::PositionOf(std::int32_t base_position, std::int32_t position) const {
  if (base_position == kMissingPosition || position == kMissingPosition) return kMissingPosition;
  if (base_position == kUnknownPosition || position == kUnknownPosition) return kUnknownPosition;
  return PlaceOf(cells, CellOf(base_position, position));
}

bool OrderedCombination::operator==(OrderedCombination const& other) const {
  return base == other.base && feature == other.feature && cells == other.cells && sums == other.sums;
}

double OrderedEncoding::Prior(std::int64_t number) const {
  auto const& total = totals[static_cast<std::size_t>(number)];
  if (total.weights <= 0) return 0.0;
  return static_cast<double>(total.labels) * label_unit / (static_cast<double>(total.weights) * weight_unit);
}

double OrderedEncoding::PriorWeight() const {
  auto const mean_weight = static_cast<double>(totals.front().weights) * weight_unit / static_cast<double>(n_rows);
  return static_cast<double>(settings.strength) * mean_weight;
}

float OrderedEncoding::ValueOf(LabelSum rows, std::int64_t number) const {
  auto const prior = Prior(number);
  auto const prior_weight = PriorWeight();
  auto const weight = static_cast<double>(rows.weights) * weight_unit + prior_weight;
  if (!(weight > 0.0)) return static_cast<float>(prior);
  return static_cast<float>((static_cast<double>(rows.labels) * label_unit + prior * prior_weight) / weight);
}

float OrderedEncoding::ValueAt(NumberColumn of, std::int32_t position) const {
  if (position == kMissingPosition) return std::numeric_limits<float>::quiet_NaN();
  if (position == kUnknownPosition) return ValueOf(LabelSum(), of.number);
  auto const place = static_cast<std::size_t>(position * settings.n_numbers + of.number);
  auto const n_features = columns.size();
  auto const& sums = of.column < n_features ? columns[of.column].sums : combinations[of.column - n_features].sums;
  return ValueOf(sums[place], of.number);
}

std::int32_t OrderedEncoding::PositionOf(std::size_t feature, std::int32_t category) const {
  return PlaceOf(columns[feature].categories, category);
}

std::size_t OrderedEncoding::NumPositions(std::size_t column) const {
  return column < columns.size() ? columns[column].categories.size()
                                 : combinations[column - columns.size()].cells.size();
}

std::vector<std::int32_t> OrderedEncoding::MembersOf(std::size_t column) const {
  std::vector<std::int32_t> members;
  while (column >= columns.size()) {
    auto const& combination = combinations[column - columns.size()];
    members.push_back(combination.feature);
    column = static_cast<std::size_t>(combination.base);
  }
  members.push_back(static_cast<std::int32_t>(column));
  std::sort(members.begin(), members.end());
  return members;
}

std::vector<std::size_t> OrderedEncoding::EncodedColumns() const {
  std::vector<std::size_t> encoded;
  for (std::size_t column = 0; column < columns.size() + combinations.size(); ++column) {
    if (column >= columns.size() || Encodes(column)) encoded.push_back(column);
  }
  return encoded;
}

std::vector<NumberColumn> OrderedEncoding::AddedColumns() const {
  std::vector<NumberColumn> added;
  for (std::size_t i = 0; i < combinations.size(); ++i) added.push_back({columns.size() + i, 0});
  for (auto const column : EncodedColumns()) {
    for (std::int64_t number = 1; number < settings.n_numbers; ++number) added.push_back({column, number});
  }
  return added;
}

std::int64_t OrderedEncoding::NumAddedColumns() const {
  auto const n_combinations = static_cast<std::int64_t>(combinations.size());
  if (settings.n_numbers == 1) return n_combinations;
  return n_combinations + static_cast<std::int64_t>(EncodedColumns().size()) * (settings.n_numbers - 1);
}

bool OrderedEncoding::operator==(OrderedEncoding const& other) const {
  return settings == other.settings && columns == other.columns && combinations == other.combinations &&
         totals == other.totals && n_rows == other.n_rows && label_unit == other.label_unit &&
         weight_unit == other.weight_unit;
}

}  // namespace kauri
