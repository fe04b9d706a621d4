#include "data/categories/category_names.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri {
namespace {

bool IsUnsigned64(CategoryNames const& names) { return names.number_type == CategoryNames::Type::kU64; }

/// Returns the number as text. A kU64 number beyond the range of int64 equals no number of the other types.
std::string NumberText(CategoryNames const& names, std::size_t category) {
  auto const number = names.numbers[category];
  return IsUnsigned64(names) ? std::to_string(static_cast<std::uint64_t>(number)) : std::to_string(number);
}

/// Maximum number of names that are searched for one by one, e.g. the names of one row to predict. An index of the
/// other list, which may have tens of thousands of names, would cost more.
constexpr std::size_t kFewNames = 8;

/// Returns the position of each element of `from` in `to`, or kUnknownCategory: [from.size()]. `Key` is the key type of
/// the index of `to`.
template <typename Key, typename Name>
std::vector<std::int32_t> PlacesIn(std::vector<Name> const& to, std::vector<Name> const& from) {
  std::vector<std::int32_t> places;
  places.reserve(from.size());
  if (from.size() <= kFewNames) {
    for (auto const& name : from) {
      auto const found = std::find(to.begin(), to.end(), name);
      places.push_back(found == to.end() ? kUnknownCategory : static_cast<std::int32_t>(found - to.begin()));
    }
    return places;
  }
  std::unordered_map<Key, std::int32_t> index(to.size());
  for (std::size_t place = 0; place < to.size(); ++place) index.emplace(to[place], static_cast<std::int32_t>(place));
  for (auto const& name : from) {
    auto const found = index.find(name);
    places.push_back(found == index.end() ? kUnknownCategory : found->second);
  }
  return places;
}

}  // namespace

char const* NameOfPolicy(UnseenCategory policy) {
  constexpr char const* kNames[] = {"xgboost", "missing", "error"};
  return kNames[static_cast<int>(policy)];
}

bool ParsePolicy(std::string const& text, UnseenCategory* policy) {
  for (auto const known : {UnseenCategory::kXGBoost, UnseenCategory::kMissing, UnseenCategory::kError}) {
    if (text != NameOfPolicy(known)) continue;
    *policy = known;
    return true;
  }
  return false;
}

std::string NameOfCategory(CategoryNames const& names, std::size_t category) {
  if (category >= names.Size()) return std::to_string(category);
  return names.numbers.empty() ? Quoted(names.texts[category]) : NumberText(names, category);
}

std::vector<std::int32_t> CategoryCodes(CategoryNames const& from, CategoryNames const& to) {
  if (from.numbers.empty() != to.numbers.empty()) return std::vector<std::int32_t>(from.Size(), kUnknownCategory);
  if (from.numbers.empty()) return PlacesIn<std::string_view>(to.texts, from.texts);
  auto codes = PlacesIn<std::int64_t>(to.numbers, from.numbers);
  if (IsUnsigned64(from) == IsUnsigned64(to)) return codes;
  for (std::size_t category = 0; category < codes.size(); ++category) {
    if (from.numbers[category] < 0) codes[category] = kUnknownCategory;  // the same bits mean another number
  }
  return codes;
}

void RequireSameKind(CategoryNames const& rows, CategoryNames const& model, std::size_t feature) {
  auto const kind = [](CategoryNames const& names) { return names.numbers.empty() ? "texts" : "integers"; };
  if (rows.numbers.empty() == model.numbers.empty()) return;
  Fail(ErrorKind::kData, "the categories of column ", feature, " are ", kind(rows), ", as ", NameOfCategory(rows, 0),
       ", but were ", kind(model), " in training, as ", NameOfCategory(model, 0),
       "; the index type must match between the training and test set: give them the type that they had in training.");
}

CategoryNames JoinNames(CategoryNames const& known, CategoryNames const& more, std::size_t feature) {
  RequireSameKind(more, known, feature);
  auto joined = known;
  auto const codes = CategoryCodes(more, known);
  for (std::size_t category = 0; category < codes.size(); ++category) {
    if (codes[category] != kUnknownCategory) continue;
    if (more.numbers.empty()) {
      joined.texts.push_back(more.texts[category]);
    } else {
      joined.numbers.push_back(more.numbers[category]);
    }
  }
  if (joined.Size() == known.Size() || known.number_type == more.number_type) return joined;
  joined.number_type = CategoryNames::Type::kI64;
  auto const has_negative = [](auto const& numbers) {
    return std::any_of(numbers.begin(), numbers.end(), [](std::int64_t number) { return number < 0; });
  };
  if ((IsUnsigned64(known) && has_negative(known.numbers)) || (IsUnsigned64(more) && has_negative(more.numbers))) {
    Fail(ErrorKind::kData, "the categories of column ", feature, " are integers past 2^63 and others of another type; ",
         "give them the type that they had in training.");
  }
  return joined;
}

bool AgreeOnNames(CategoryNames const& a, CategoryNames const& b) {
  auto const both = std::min(a.Size(), b.Size());
  if (both > 0 && a.numbers.empty() != b.numbers.empty()) return false;
  for (std::size_t category = 0; category < both; ++category) {
    auto const same =
        a.numbers.empty() ? a.texts[category] == b.texts[category] : NumberText(a, category) == NumberText(b, category);
    if (!same) return false;
  }
  return true;
}

bool AgreeOnTables(CategoryNameTable const& a, CategoryNameTable const& b) {
  for (std::size_t feature = 0; feature < std::min(a.size(), b.size()); ++feature) {
    if (!AgreeOnNames(a[feature], b[feature])) return false;
  }
  return true;
}

CategoryNameTable JoinTables(CategoryNameTable const& known, CategoryNameTable const& more) {
  auto joined = more;
  for (std::size_t feature = 0; feature < std::min(known.size(), more.size()); ++feature) {
    if (known[feature].Size() == 0 || more[feature].Size() == 0) continue;
    joined[feature] = JoinNames(known[feature], more[feature], feature);
  }
  return joined;
}

}  // namespace kauri
