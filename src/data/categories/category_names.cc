#include "data/categories/category_names.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <unordered_map>

#include "common/text/json_text.h"
#include "common/text/quoted.h"
#include "data/arrays/array_dispatch.h"
#include "kauri/error.h"
#include "kauri/tree.h"

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

namespace {

constexpr auto kTextMark = CategoryNames::Type::kI8;
constexpr auto kManyTextsMark = CategoryNames::Type::kU8;

}  // namespace

NameOrigin OriginOf(CategoryNames const& names) {
  if (names.texts.empty()) return NameOrigin::kDeclared;
  if (names.number_type == kManyTextsMark) return NameOrigin::kManyTexts;
  return names.number_type == kTextMark ? NameOrigin::kTexts : NameOrigin::kDeclared;
}

void SetTexts(std::int64_t n_rows, CategoryNames* names) {
  auto const n_names = names->texts.size();
  auto const are_many = n_names > kMostTextsOfAnyShare && n_names > static_cast<std::size_t>(n_rows) / 2;
  names->number_type = are_many ? kManyTextsMark : kTextMark;
}

void SetDeclared(CategoryNames* names) {
  if (!names->texts.empty()) names->number_type = CategoryNames{}.number_type;
}

void CollectedTexts::Add(CategoryNameTable const& batch, std::int64_t n_rows) {
  n_rows_ += n_rows;
  names_.resize(std::max(names_.size(), batch.size()));
  are_declared_.resize(names_.size(), 0);
  for (std::size_t column = 0; column < batch.size(); ++column) {
    auto const& more = batch[column];
    auto& known = names_[column].texts;
    if (more.Size() > 0 && OriginOf(more) == NameOrigin::kDeclared) are_declared_[column] = 1;
    if (are_declared_[column] != 0 || more.texts == known) continue;
    std::vector<std::string> both;
    std::set_union(known.begin(), known.end(), more.texts.begin(), more.texts.end(), std::back_inserter(both));
    known = std::move(both);
  }
}

CategoryNameTable CollectedTexts::Names() const {
  auto names = names_;
  auto has_texts = false;
  for (std::size_t column = 0; column < names.size(); ++column) {
    if (are_declared_[column] != 0) names[column] = {};
    if (names[column].Size() == 0) continue;
    SetTexts(n_rows_, &names[column]);
    has_texts = true;
  }
  return has_texts ? names : CategoryNameTable();
}

void TakeTexts(CategoryNameTable const& texts, CategoryNameTable* batch) {
  batch->resize(std::max(batch->size(), texts.size()));
  for (std::size_t column = 0; column < texts.size(); ++column) {
    if (texts[column].Size() > 0) (*batch)[column] = texts[column];
  }
}

namespace {

constexpr char const* kDeclaration =
    "declare them: .astype('category') in pandas, .cast(pl.Categorical) in polars, dictionary_encode() in Arrow, "
    "categorical_columns of a CSV file.";

bool IsNumber(std::string const& text) {
  double number = 0;
  auto const* const end = text.data() + text.size();
  auto const parsed = std::from_chars(text.data(), end, number);
  return parsed.ptr == end && parsed.ec != std::errc::invalid_argument;
}

void CheckTextColumn(CategoryNames const& names, std::string const& column) {
  auto const& first = names.texts[0];
  if (std::all_of(names.texts.begin(), names.texts.end(), IsNumber)) {
    Fail(ErrorKind::kData, column, " holds text that is numbers, such as ", Quoted(first),
         "; make it numbers with .astype(float) in pandas, .cast(pl.Float64) in polars. If the texts are categories, ",
         kDeclaration);
  }
  if (OriginOf(names) != NameOrigin::kManyTexts) return;
  Fail(ErrorKind::kData, column, " has ", names.Size(), " different texts, more than half as many as rows, such as ",
       Quoted(first), ", as identifiers and prose have, and nothing can be learnt from so many categories; leave the ",
       "column out, or make numbers of it. If the texts are categories all the same, ", kDeclaration);
}

}  // namespace

void CheckTextColumns(CategoryNameTable const& names, CategoryNameTable const& known,
                      std::vector<std::string> const& columns) {
  for (std::size_t column = 0; column < names.size(); ++column) {
    auto const is_known = column < known.size() && known[column].Size() > 0;
    if (is_known || OriginOf(names[column]) == NameOrigin::kDeclared) continue;
    auto const name = column < columns.size() ? " (" + Quoted(columns[column]) + ")" : std::string();
    CheckTextColumn(names[column], "column " + std::to_string(column) + name);
  }
}

namespace {

using Type = CategoryNames::Type;

Type TypeOf(DType dtype) {
  switch (dtype) {
    case DType::kI8:
      return Type::kI8;
    case DType::kU8:
      return Type::kU8;
    case DType::kI16:
      return Type::kI16;
    case DType::kU16:
      return Type::kU16;
    case DType::kI32:
      return Type::kI32;
    case DType::kU32:
      return Type::kU32;
    case DType::kI64:
      return Type::kI64;
    case DType::kU64:
      return Type::kU64;
    default:
      break;
  }
  return Type::kI64;  // a float that holds whole numbers
}

/// Returns the integer that names a category. Tables that have gaps keep whole numbers as floats.
template <typename T>
std::int64_t IntegerOf(T value) {
  if constexpr (std::is_integral_v<T>) return static_cast<std::int64_t>(value);
  constexpr auto kLimit = 0x1p53;  // above it, doubles cannot represent every integer
  auto const number = static_cast<double>(value);
  if (std::abs(number) <= kLimit && number == std::floor(number)) return static_cast<std::int64_t>(number);
  Fail(ErrorKind::kData, "its categories have names of a floating point dtype, such as ", number,
       "; convert the names to texts or integers.");
}

void RequireFew(std::int64_t n) {
  if (n < kCategoryLimit) return;
  Fail(ErrorKind::kData, "it has ", n, " categories; at most ", kCategoryLimit - 1, " are possible.");
}

/// Requires a vector. A table without columns has rows but no memory.
void RequireVector(ArrayView const& array) {
  if (array.shape[1] == 1) return;
  Fail(ErrorKind::kData, "the names of its categories have the shape [", array.shape[0], ", ", array.shape[1],
       "]; pass vectors.");
}

}  // namespace

CategoryNames NumbersAsNames(ArrayView const& numbers) {
  CategoryNames names;
  names.number_type = TypeOf(numbers.dtype);
  RequireVector(numbers);
  RequireFew(numbers.shape[0]);
  for (std::int64_t i = 0; i < numbers.shape[0]; ++i) {
    auto const number = DispatchDType(
        numbers.dtype, [&](auto tag) { return IntegerOf(LoadElement<decltype(tag)>(ElementAddress(numbers, i, 0))); });
    names.numbers.push_back(number);
  }
  return names;
}

CategoryNames ParseCategoryNames(nlohmann::json const& names, std::int64_t n_rows) {
  if (!names.is_object()) Fail(ErrorKind::kData, "the names of its categories are no JSON object.");
  if (!names.contains("offsets")) return NumbersAsNames(ParseArrayInterface(names.dump()));
  auto const offsets = ParseArrayInterface(names["offsets"].dump());
  auto const values = ParseArrayInterface(JsonMember(names, "values").dump());
  RequireVector(offsets);
  RequireVector(values);
  if (ItemSize(values.dtype) != 1 || (values.Size() > 1 && values.strides[0] != 1)) {
    Fail(ErrorKind::kData, "the names of its categories are not contiguous bytes.");
  }
  CategoryNames texts;
  RequireFew(offsets.shape[0]);
  for (std::int64_t i = 0; i + 1 < offsets.shape[0]; ++i) {
    auto const begin = ElementAsIndex(offsets, i, "offsets");
    auto const end = ElementAsIndex(offsets, i + 1, "offsets");
    if (begin < 0 || end < begin || end > values.shape[0]) {
      Fail(ErrorKind::kData, "the name of its category ", i, " goes from byte ", begin, " to ", end, " of ",
           values.shape[0], "; offsets must ascend within the bytes.");
    }
    texts.texts.emplace_back(static_cast<char const*>(values.data) + begin, static_cast<std::size_t>(end - begin));
  }
  if (JsonMember(names, "are_collected") == true) SetTexts(n_rows, &texts);
  return texts;
}

std::shared_ptr<std::vector<float> const> ParseCategoryNumbers(nlohmann::json const& numbers, std::size_t n) {
  auto const array = ParseArrayInterface(numbers.dump());
  if (array.shape[1] != 1 || static_cast<std::size_t>(array.shape[0]) != n) {
    Fail(ErrorKind::kData, "the numbers of its categories have the shape [", array.shape[0], ", ", array.shape[1],
         "]; expected one for each of ", n, " names.");
  }
  auto codes = std::make_shared<std::vector<float>>(n);
  for (std::size_t i = 0; i < n; ++i) {
    auto const number = ElementAsIndex(array, static_cast<std::int64_t>(i), "numbers");
    if (number < 0 || number >= kCategoryLimit) {
      Fail(ErrorKind::kData, "the number of its category ", i, " is ", number, "; categories are integers from 0 to ",
           kCategoryLimit - 1, ".");
    }
    (*codes)[i] = static_cast<float>(number);
  }
  return codes;
}

std::shared_ptr<std::vector<float> const> SameCodes(std::size_t n) {
  auto codes = std::make_shared<std::vector<float>>(n);
  std::iota(codes->begin(), codes->end(), 0.0F);
  return codes;
}

}  // namespace kauri
