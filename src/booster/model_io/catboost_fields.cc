#include "booster/model_io/catboost_fields.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "booster/model_io/catboost_hash.h"
#include "booster/model_io/catboost_json.h"

namespace kauri::model_io {
namespace {

constexpr char const* kPlace = "features_info";
constexpr char const* kGiveNames =
    "Load the file in Python with kauriboost.forests.load(file, categories={column: names}).";

/// Returns a list of features, or an empty one: CatBoost writes a list only if it is not empty.
CatBoostJson const& FeaturesIn(CatBoostJson const& features, char const* key) {
  static CatBoostJson const none = CatBoostJson::array();
  return features.contains(key) ? ArrayIn(features, key, kPlace) : none;
}

/// Returns the hashes of whole numbers from 0 on, and their numbers.
std::map<std::int32_t, std::int32_t> const& WholeNumbersByHash() {
  static auto const table = [] {
    std::map<std::int32_t, std::int32_t> by_hash;
    for (std::int32_t number = 0; number <= kMostFound; ++number) {
      by_hash.emplace(CatBoostHash(std::to_string(number)), number);
    }
    return by_hash;
  }();
  return table;
}

/// Makes the categories whole numbers, which are their own codes. \returns whether all hashes are known.
bool FindWholeNumbers(std::set<std::int32_t> const& hashes, CatBoostCategories* column, CategoryNames* names) {
  auto const& known = WholeNumbersByHash();
  std::int32_t largest = -1;
  for (auto const hash : hashes) {
    auto const found = known.find(hash);
    if (found == known.end()) return false;
    column->code_of[hash] = found->second;
    largest = std::max(largest, found->second);
  }
  for (std::int32_t number = 0; number <= largest; ++number) names->numbers.push_back(number);
  return true;
}

/// Returns the given names of a column's categories. \throws Error(kModel) unless they are texts or whole numbers.
CategoryNames GivenNames(CatBoostJson const& given, std::string const& column) {
  CategoryNames names;
  for (auto const& name : given) {
    if (name.is_number_integer()) names.numbers.push_back(name.get<std::int64_t>());
    if (name.is_string()) names.texts.push_back(name.get<std::string>());
  }
  if (!given.is_array() || std::max(names.numbers.size(), names.texts.size()) != given.size()) {
    Fail(ErrorKind::kModel, "the names of the categories of column ", Quoted(column),
         " are no list of texts, or of whole numbers. Give one of them.");
  }
  return names;
}

/// Numbers the categories in the order of their names.
void TakeNames(std::set<std::int32_t> const& hashes, CategoryNames const& names, CatBoostCategories* column) {
  for (std::size_t code = 0; code < names.Size(); ++code) {
    auto const name = names.numbers.empty() ? names.texts[code] : std::to_string(names.numbers[code]);
    if (name.size() > kLongestHashed) {
      Fail(ErrorKind::kModel, "the category ", Quoted(name), " of column ", Quoted(column->name), " has ", name.size(),
           " bytes; expected at most ", kLongestHashed, ". Train the model with shorter names.");
    }
    column->code_of.emplace(CatBoostHash(name), static_cast<std::int32_t>(code));
  }
  for (auto const hash : hashes) {
    if (column->code_of.count(hash) > 0) continue;
    Fail(ErrorKind::kModel, "the model of CatBoost splits column ", Quoted(column->name), " on a category (hash ", hash,
         ") that is none of the ", names.Size(), " given names. Give all names.");
  }
}

std::int32_t HashIn(CatBoostJson const& value) {
  using Limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(WholeOf(value, "hash", kPlace, Limits::min(), Limits::max()));
}

/// Adds the number of names found for a column to the number of the columns before. \throws Error(kModel) for too many.
void CountFound(std::size_t n_names, std::string const& column, std::size_t* n_found) {
  *n_found += n_names;
  if (*n_found <= kMostFoundInAll) return;
  Fail(ErrorKind::kModel, "the columns of categories up to ", Quoted(column), " of a model of CatBoost have ", *n_found,
       " whole numbers as categories that the file does not list; expected at most ", kMostFoundInAll, ". ",
       kGiveNames);
}

/// Reads a column's categories. n_found: the number of names that were found in all columns so far.
CategoryNames ReadCatBoostCategories(CatBoostJson const& feature, CatBoostCategories* column, std::size_t* n_found) {
  std::set<std::int32_t> hashes;
  if (feature.contains("values")) {
    for (auto const& value : ArrayIn(feature, "values", kPlace)) hashes.insert(HashIn(value));
  }
  CategoryNames names;
  if (feature.contains("names")) {
    names = GivenNames(feature["names"], column->name);
    TakeNames(hashes, names, column);
    return names;
  }
  if (!FindWholeNumbers(hashes, column, &names)) {
    Fail(ErrorKind::kModel, "the model of CatBoost splits column ", Quoted(column->name),
         " on categories whose names the file does not have, only hashes of them. ", kGiveNames);
  }
  CountFound(names.Size(), column->name, n_found);
  return names;
}

/// Collects the places of all columns.
class ColumnPlaces {
 public:
  explicit ColumnPlaces(std::size_t n_features) : is_taken_(n_features, false), names_(n_features) {}

  /// Returns the column of a feature. \throws Error(kModel) unless each column belongs to one feature.
  std::int32_t Take(CatBoostJson const& feature) {
    auto const last = static_cast<std::int64_t>(is_taken_.size()) - 1;
    auto const column = static_cast<std::size_t>(WholeIn(feature, "flat_feature_index", kPlace, 0, last));
    if (is_taken_[column]) FailCatBoost("two features with the flat_feature_index ", column);
    is_taken_[column] = true;
    auto const found = feature.find("feature_id");
    if (found != feature.end() && found->is_string()) names_[column] = found->get<std::string>();
    return static_cast<std::int32_t>(column);
  }
  std::string NameOf(std::int32_t column) const {
    auto const& name = names_[static_cast<std::size_t>(column)];
    return name.empty() ? std::to_string(column) : name;
  }
  /// Returns the names, or none if a column has no name.
  std::vector<std::string> TakeNames() {
    if (std::any_of(names_.begin(), names_.end(), [](auto const& name) { return name.empty(); })) return {};
    return std::move(names_);
  }

 private:
  std::vector<bool> is_taken_;
  std::vector<std::string> names_;
};

/// Returns the place of a feature among those of its kind. \throws Error(kModel) unless it is free.
template <typename Column>
Column* PlaceOf(CatBoostJson const& feature, std::vector<Column>* columns) {
  auto const last = static_cast<std::int64_t>(columns->size()) - 1;
  auto const index = WholeIn(feature, "feature_index", kPlace, 0, last);
  auto* column = &(*columns)[static_cast<std::size_t>(index)];
  if (column->column >= 0) FailCatBoost("two features of a kind with the feature_index ", index);
  return column;
}

bool MissingGoesLeft(CatBoostJson const& feature) {
  auto const found = feature.find("nan_value_treatment");
  auto const treatment = found != feature.end() && found->is_string() ? found->get<std::string>() : "AsIs";
  if (treatment != "AsIs" && treatment != "AsFalse" && treatment != "AsTrue") {
    FailCatBoost("the nan_value_treatment ", Quoted(treatment), "; expected AsIs, AsFalse or AsTrue");
  }
  return treatment != "AsTrue";
}

/// Returns the names of the columns whose target statistics the model uses.
std::string NamesWithStatistics(CatBoostJson const& features, CatBoostColumns const& columns) {
  std::set<std::string> names;
  for (auto const& statistic : FeaturesIn(features, "ctrs")) {
    for (auto const& element : ArrayIn(statistic, "elements", kPlace)) {
      if (!element.contains("cat_feature_index")) continue;
      auto const last = static_cast<std::int64_t>(columns.categories.size()) - 1;
      auto const index = static_cast<std::size_t>(WholeIn(element, "cat_feature_index", kPlace, 0, last));
      names.insert(Quoted(columns.categories[index].name));
    }
  }
  std::string text;
  for (auto const& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

CatBoostJson const& MemberOf(CatBoostJson const& object, char const* key, std::string const& where) {
  if (!object.is_object() || !object.contains(key)) FailCatBoost("no '", key, "' in ", where);
  return object[key];
}

CatBoostJson const& ArrayIn(CatBoostJson const& object, char const* key, std::string const& where) {
  auto const& member = MemberOf(object, key, where);
  if (!member.is_array())
    FailCatBoost("the ", key, " ", Quoted(member.dump(-1, ' ', true)), " in ", where, ", which is no list");
  return member;
}

std::int64_t WholeIn(CatBoostJson const& object, char const* key, std::string const& where, std::int64_t lowest,
                     std::int64_t highest) {
  return WholeOf(MemberOf(object, key, where), key, where, lowest, highest);
}

std::int64_t WholeOf(CatBoostJson const& member, char const* key, std::string const& where, std::int64_t lowest,
                     std::int64_t highest) {
  auto const is_whole = member.is_number_integer() &&
                        (!member.is_number_unsigned() || member.get<std::uint64_t>() <= std::uint64_t{INT64_MAX});
  auto const number = is_whole ? member.get<std::int64_t>() : 0;
  if (!is_whole || number < lowest || number > highest) {
    FailCatBoost("the ", key, " ", Quoted(member.dump(-1, ' ', true)), " in ", where, "; expected a whole number from ",
                 lowest, " to ", highest);
  }
  return number;
}

double NumberOf(CatBoostJson const& value, std::string const& where) {
  if (!value.is_number()) FailCatBoost(where, " ", Quoted(value.dump(-1, ' ', true)), ", which is no number");
  return value.get<double>();
}

float FloatOf(double value, std::string const& where) {
  if (!(std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max()))) {
    FailCatBoost(where, " ", value, ", which is no finite 32-bit number");
  }
  return static_cast<float>(value);
}

CatBoostColumns ReadCatBoostColumns(CatBoostJson const& features) {
  for (auto const* kind : {"text_features", "embedding_features"}) {
    if (!FeaturesIn(features, kind).empty()) {
      Fail(ErrorKind::kModel, "the model of CatBoost has ", kind,
           ", which have no counterpart here. Train without "
           "them.");
    }
  }
  auto const& numbers = FeaturesIn(features, "float_features");
  auto const& categories = FeaturesIn(features, "categorical_features");
  CatBoostColumns columns;
  columns.n_features = static_cast<std::int64_t>(numbers.size() + categories.size());
  columns.numbers.resize(numbers.size());
  columns.categories.resize(categories.size());
  ColumnPlaces places(numbers.size() + categories.size());
  for (auto const& feature : numbers) {
    auto* column = PlaceOf(feature, &columns.numbers);
    *column = {places.Take(feature), MissingGoesLeft(feature)};
  }
  columns.category_names.resize(categories.empty() ? 0 : numbers.size() + categories.size());
  std::size_t n_found = 0;
  for (auto const& feature : categories) {
    auto* column = PlaceOf(feature, &columns.categories);
    column->column = places.Take(feature);
    column->name = places.NameOf(column->column);
    columns.category_names[static_cast<std::size_t>(column->column)] =
        ReadCatBoostCategories(feature, column, &n_found);
  }
  auto const has_names = [](CategoryNames const& names) { return names.Size() > 0; };
  auto& known = columns.category_names;
  if (std::none_of(known.begin(), known.end(), has_names)) known.clear();
  columns.with_statistics = NamesWithStatistics(features, columns);
  columns.names = places.TakeNames();
  return columns;
}

}  // namespace kauri::model_io
