#include "booster/model_io/category_table.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "data/categories/category_names.h"
#include "kauri/tree.h"

namespace kauri::model_io {
namespace {

using Type = CategoryNames::Type;

/// Member beside the trees in older files of Kauri; now an attribute (own_attributes.h).
constexpr char const* kSeenKey = "cats_seen";

/// Calls fn(T()) with the integer type that stores the values of `type`. Unsigned types of more than a byte are stored
/// as signed ones with the same bits.
template <typename Fn>
void WithStored(Type type, Fn&& fn) {
  switch (type) {
    case Type::kI8:
      return fn(std::int8_t());
    case Type::kU8:
      return fn(std::uint8_t());
    case Type::kI16:
    case Type::kU16:
      return fn(std::int16_t());
    case Type::kI32:
    case Type::kU32:
      return fn(std::int32_t());
    case Type::kI64:
    case Type::kU64:
      break;
  }
  fn(std::int64_t());
}

/// Returns the number that a stored value represents.
std::int64_t FromStored(Type type, std::int64_t stored) {
  if (type == Type::kU8) return static_cast<std::uint8_t>(stored);
  if (type == Type::kU16) return static_cast<std::uint16_t>(stored);
  if (type == Type::kU32) return static_cast<std::uint32_t>(stored);
  return stored;
}

template <typename T, typename Writer>
void WriteNumbers(char const* key, std::vector<T> const& values, Writer* writer) {
  writer->Key(key);
  writer->Numbers(Span<T const>(values));
}

template <typename Writer>
void WriteNames(CategoryNames const& names, Writer* writer) {
  writer->BeginObject();
  if (!names.numbers.empty()) {
    writer->Key("type");
    writer->Integer(static_cast<std::int64_t>(names.number_type));
    WithStored(names.number_type, [&](auto stored) {
      std::vector<decltype(stored)> values;
      for (auto const number : names.numbers) values.push_back(static_cast<decltype(stored)>(number));
      WriteNumbers("values", values, writer);
    });
  } else {
    std::vector<std::int32_t> offsets;
    std::vector<std::int8_t> bytes;
    for (auto const& text : names.texts) {
      if (offsets.empty()) offsets.push_back(0);
      bytes.insert(bytes.end(), text.begin(), text.end());
      offsets.push_back(static_cast<std::int32_t>(bytes.size()));
    }
    WriteNumbers("offsets", offsets, writer);
    WriteNumbers("values", bytes, writer);
  }
  writer->EndObject();
}

bool IsBelow(CategoryNames const& names, std::int32_t a, std::int32_t b) {
  auto const first = static_cast<std::size_t>(a);
  auto const second = static_cast<std::size_t>(b);
  if (!names.numbers.empty()) {
    auto const is_unsigned = names.number_type == Type::kU64;
    auto const x = names.numbers[first];
    auto const y = names.numbers[second];
    return is_unsigned ? static_cast<std::uint64_t>(x) < static_cast<std::uint64_t>(y) : x < y;
  }
  auto const& x = names.texts[first];
  auto const& y = names.texts[second];
  return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end(), [](char left, char right) {
    return static_cast<std::int8_t>(left) < static_cast<std::int8_t>(right);
  });
}

std::vector<std::int32_t> OrderOf(CategoryNames const& names) {
  std::vector<std::int32_t> order(names.Size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return IsBelow(names, a, b); });
  return order;
}

template <typename Writer>
void WriteNameTable(CategoryNameTable const& table, Writer* writer) {
  std::vector<std::int32_t> segments;
  std::vector<std::int32_t> order;
  writer->Key("cats");
  writer->BeginObject();
  writer->Key("enc");
  writer->BeginArray(table.size());
  for (auto const& names : table) {
    WriteNames(names, writer);
    if (segments.empty()) segments.push_back(0);
    segments.push_back(segments.back() + static_cast<std::int32_t>(names.Size()));
    auto const of_feature = OrderOf(names);
    order.insert(order.end(), of_feature.begin(), of_feature.end());
  }
  writer->EndArray();
  WriteNumbers("feature_segments", segments, writer);
  WriteNumbers("sorted_idx", order, writer);
  writer->EndObject();
}

template <typename Writer>
void WriteTable(Model const& model, Writer* writer) {
  auto names = model.categories.names;
  if (!names.empty()) names.resize(model.NumTreeFeatures());  // the number of features in the file
  WriteNameTable(names, writer);
}

CategoryNames ReadTexts(ObjectReader const& reader) {
  CategoryNames names;
  auto const offsets = reader.TakeInt64("offsets");
  auto const bytes = reader.TakeInt64("values");
  auto const n_bytes = static_cast<std::int64_t>(bytes.size());
  std::string text;
  for (auto const byte : bytes) {
    if (byte < -128 || byte > 255) reader.FailAt("values", "holds ", byte, ", which is no byte");
    text += static_cast<char>(byte);
  }
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    if (offsets[i] < 0 || offsets[i + 1] < offsets[i] || offsets[i + 1] > n_bytes) {
      reader.FailAt("offsets", "goes from ", offsets[i], " to ", offsets[i + 1], " at index ", i,
                    "; they must ascend within the ", n_bytes, " bytes of 'values'");
    }
    names.texts.push_back(
        text.substr(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(offsets[i + 1] - offsets[i])));
  }
  return names;
}

CategoryNames ReadIntegers(ObjectReader const& reader) {
  CategoryNames names;
  auto const type = reader.IntegerIn("type", 0, 255);
  if (type < static_cast<std::int64_t>(Type::kI8) || type > static_cast<std::int64_t>(Type::kU64)) {
    reader.FailAt("type", "is ", type, "; names of categories are texts or integers, 9 to 16");
  }
  names.number_type = static_cast<Type>(type);
  for (auto const stored : reader.TakeInt64("values")) {
    names.numbers.push_back(FromStored(names.number_type, stored));
  }
  return names;
}

void ReadNames(ObjectReader const& gbtree, Model* model) {
  if (!gbtree.Has("cats")) return;
  auto const cats = gbtree.Child("cats");
  if (!cats.Has("enc")) return;
  auto* const features = cats.Elements("enc");
  auto const n_given = static_cast<std::int64_t>(features->size());
  auto const fail_size = [&] { cats.FailAt("enc", "has ", n_given, " elements for ", model->n_features, " features"); };
  if (n_given > model->n_features) fail_size();
  auto& names = model->categories.names;
  for (std::size_t i = 0; i < features->size(); ++i) {
    ObjectReader const feature(&(*features)[i], cats.PathOf("enc") + "[" + std::to_string(i) + "]");
    names.push_back(feature.Has("type") ? ReadIntegers(feature) : ReadTexts(feature));
    if (names.back().Size() >= static_cast<std::size_t>(kCategoryLimit)) {
      cats.FailAt("enc", "names ", names.back().Size(), " categories of feature ", i, "; at most ", kCategoryLimit - 1,
                  " are possible");
    }
  }
  if (n_given > 0 && n_given < model->n_features) fail_size();
}

}  // namespace

void WriteCategoryTable(Model const& model, JsonWriter* writer) { WriteTable(model, writer); }
void WriteCategoryTable(Model const& model, UbjsonWriter* writer) { WriteTable(model, writer); }

void ReadCategoryTable(ObjectReader const& gbtree, Model* model) {
  ReadNames(gbtree, model);
  if (gbtree.Has(kSeenKey)) ReadSeenCategories(gbtree.Child(kSeenKey), model);
}

bool KnowsSeenCategories(ModelCategories const& categories) {
  return !categories.seen.empty() || categories.unseen != UnseenCategory::kXGBoost;
}

void WriteSeenCategories(ModelCategories const& categories, JsonWriter* writer) {
  std::vector<std::int64_t> segments{0};
  std::vector<std::int32_t> values;
  for (auto const& of_feature : categories.seen) {
    values.insert(values.end(), of_feature.begin(), of_feature.end());
    segments.push_back(static_cast<std::int64_t>(values.size()));
  }
  writer->BeginObject();
  writer->Key("feature_segments");
  writer->Numbers(Span<std::int64_t const>(segments));
  writer->Key("unseen_category");
  writer->String(NameOfPolicy(categories.unseen));
  writer->Key("values");
  writer->Numbers(Span<std::int32_t const>(values));
  writer->EndObject();
}

void ReadSeenCategories(ObjectReader const& reader, Model* model) {
  auto const segments = reader.TakeInt64("feature_segments");
  auto const values = reader.TakeInt32("values");
  auto const n_values = static_cast<std::int64_t>(values.size());
  if (segments.empty() || segments.front() != 0 || segments.back() != n_values ||
      !std::is_sorted(segments.begin(), segments.end()) ||
      static_cast<std::int64_t>(segments.size()) > model->n_features + 1) {
    reader.FailAt("feature_segments", "does not ascend from 0 to ", n_values, ", the number of 'values', over ",
                  model->n_features, " features");
  }
  auto& categories = model->categories;
  categories.seen.clear();
  for (std::size_t feature = 0; feature + 1 < segments.size(); ++feature) {
    categories.seen.emplace_back(values.begin() + segments[feature], values.begin() + segments[feature + 1]);
    auto const& seen = categories.seen.back();
    auto const ascends = std::adjacent_find(seen.begin(), seen.end(), std::greater_equal<>()) == seen.end();
    if (!ascends || (!seen.empty() && (seen.front() < 0 || seen.back() >= kCategoryLimit))) {
      reader.FailAt("values", "of feature ", feature, " do not ascend from 0 to at most ", kCategoryLimit - 1);
    }
  }
  auto const policy = reader.String("unseen_category");
  if (!ParsePolicy(policy, &categories.unseen)) {
    reader.FailAt("unseen_category", "is '", Printable(policy), "'; expected xgboost, missing or error");
  }
}

}  // namespace kauri::model_io
