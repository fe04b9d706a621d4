#include "data/categories/category_names.h"

#include <algorithm>
#include <unordered_map>

#include "common/quoted.h"
#include "kauri/error.h"

namespace kauri {
namespace {

bool IsUnsigned64(CategoryNames const& names) { return names.number_type == CategoryNames::Type::kU64; }

/// Numbers as they order and compare; a kU64 past int64 is none of the others' numbers.
std::string NumberText(CategoryNames const& names, std::size_t category) {
  auto const number = names.numbers[category];
  return IsUnsigned64(names) ? std::to_string(static_cast<std::uint64_t>(number)) : std::to_string(number);
}

/// Names of either kind as texts.
std::vector<std::string> TextsOf(CategoryNames const& names) {
  if (names.numbers.empty()) return names.texts;
  std::vector<std::string> texts;
  for (std::size_t category = 0; category < names.numbers.size(); ++category) {
    texts.push_back(NumberText(names, category));
  }
  return texts;
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
  std::unordered_map<std::string, std::int32_t> codes;
  auto const known = TextsOf(to);
  for (std::size_t category = 0; category < known.size(); ++category) {
    codes.emplace(known[category], static_cast<std::int32_t>(category));
  }
  std::vector<std::int32_t> result;
  for (auto const& name : TextsOf(from)) {
    auto const found = codes.find(name);
    result.push_back(found == codes.end() ? kUnknownCategory : found->second);
  }
  return result;
}

void RequireSameKind(CategoryNames const& rows, CategoryNames const& model, std::size_t feature) {
  auto const kind = [](CategoryNames const& names) { return names.numbers.empty() ? "texts" : "integers"; };
  if (rows.numbers.empty() == model.numbers.empty()) return;
  Fail(ErrorKind::kData, "the categories of column ", feature, " are ", kind(rows), ", as ", NameOfCategory(rows, 0),
       ", but were ", kind(model), " in training, as ", NameOfCategory(model, 0),
       "; give them the type that they had in training.");
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

}  // namespace kauri
