#include "booster/model_io/object_reader.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <type_traits>

namespace kauri::model_io {
namespace {

char const* TypeName(Value const& value) {
  constexpr char const* kNames[] = {"null",
                                    "a boolean",
                                    "an integer",
                                    "a number",
                                    "a string",
                                    "an object",
                                    "an array of non-numbers",
                                    "an array of integers",
                                    "an array of integers",
                                    "an array of integers",
                                    "an array of numbers"};
  return kNames[value.data.index()];
}

template <typename T>
constexpr bool kIsIntegers = std::is_same_v<T, std::vector<std::uint8_t>> ||
                             std::is_same_v<T, std::vector<std::int32_t>> || std::is_same_v<T, Integers>;

/// Returns an array of integers of any width as vector<To>; moves it if the width is the same.
template <typename To>
std::vector<To> TakeIntegers(ObjectReader const& reader, std::string const& key, To lowest, To highest) {
  return std::visit(
      [&](auto& from) -> std::vector<To> {
        using From = std::decay_t<decltype(from)>;
        if constexpr (kIsIntegers<From>) {
          for (std::size_t i = 0; i < from.size(); ++i) {
            if (from[i] < lowest || from[i] > highest) {
              reader.FailAt(key, "holds ", static_cast<std::int64_t>(from[i]), " at index ", i,
                            "; expected integers from ", static_cast<std::int64_t>(lowest), " to ",
                            static_cast<std::int64_t>(highest));
            }
          }
          if constexpr (std::is_same_v<From, std::vector<To>>) {
            return std::move(from);
          } else {
            return std::vector<To>(from.begin(), from.end());
          }
        }
        reader.FailAt(key, "is ", TypeName(*reader.At(key)), "; expected an array of integers");
      },
      reader.At(key)->data);
}

}  // namespace

bool ParseInteger(std::string const& text, std::int64_t* out) {
  auto const* end = text.data() + text.size();
  auto const result = std::from_chars(text.data(), end, *out);
  return result.ec == std::errc() && result.ptr == end;
}

ObjectReader::ObjectReader(Value* value, std::string path)
    : object_(std::get_if<Object>(&value->data)), path_(std::move(path)) {
  if (object_ == nullptr) {
    Fail(ErrorKind::kModel, "model: ", path_.empty() ? "the document" : "'" + path_ + "'", " is ", TypeName(*value),
         "; expected an object");
  }
}

Value* ObjectReader::Find(std::string const& key) const {
  auto const less = [](Member const& member, std::string const& wanted) { return member.key < wanted; };
  auto const found = std::lower_bound(object_->begin(), object_->end(), key, less);
  return found != object_->end() && found->key == key ? &found->value : nullptr;
}

Value* ObjectReader::At(std::string const& key) const {
  auto* value = Find(key);
  if (value == nullptr) FailAt(key, "is missing; the file is damaged or not an XGBoost model");
  return value;
}

std::string ObjectReader::String(std::string const& key) const {
  auto const* text = std::get_if<std::string>(&At(key)->data);
  if (text == nullptr) FailAt(key, "is ", TypeName(*At(key)), "; expected a string");
  return *text;
}

std::int64_t ObjectReader::IntegerIn(std::string const& key, std::int64_t lowest, std::int64_t highest) const {
  auto const* value = At(key);
  std::int64_t number = 0;
  if (auto const* text = std::get_if<std::string>(&value->data)) {
    if (!ParseInteger(*text, &number)) FailAt(key, "is '", Printable(*text), "'; expected an integer");
  } else if (auto const* integer = std::get_if<std::int64_t>(&value->data)) {
    number = *integer;
  } else {
    FailAt(key, "is ", TypeName(*value), "; expected an integer");
  }
  if (number < lowest || number > highest) {
    FailAt(key, "is ", number, "; expected an integer from ", lowest, " to ", highest);
  }
  return number;
}

std::map<std::string, std::string> ObjectReader::StringMap(std::string const& key) const {
  auto const child = Child(key);
  std::map<std::string, std::string> map;
  for (auto const& member : child.Members()) map.emplace_hint(map.end(), member.key, child.String(member.key));
  return map;
}

std::vector<std::string> ObjectReader::Strings(std::string const& key) const {
  std::vector<std::string> strings;
  for (auto& element : *Elements(key)) {
    auto* text = std::get_if<std::string>(&element.data);
    if (text == nullptr) FailAt(key, "holds ", TypeName(element), " at index ", strings.size(), "; expected strings");
    strings.push_back(std::move(*text));
  }
  return strings;
}

Array* ObjectReader::Elements(std::string const& key) const {
  auto* value = At(key);
  auto const* numbers = std::get_if<Integers>(&value->data);
  if (numbers != nullptr && numbers->empty()) value->data = Array{};
  auto* elements = std::get_if<Array>(&value->data);
  if (elements == nullptr) FailAt(key, "is ", TypeName(*value), "; expected an array of other things");
  return elements;
}

std::vector<float> ObjectReader::TakeFloats(std::string const& key) const {
  auto* value = At(key);
  if (auto* floats = std::get_if<Floats>(&value->data)) return std::move(*floats);
  auto const* integers = std::get_if<Integers>(&value->data);
  if (integers == nullptr) FailAt(key, "is ", TypeName(*value), "; expected an array of numbers");
  return {integers->begin(), integers->end()};
}

std::vector<std::int64_t> ObjectReader::TakeInt64(std::string const& key) const {
  using Limits = std::numeric_limits<std::int64_t>;
  return TakeIntegers<std::int64_t>(*this, key, Limits::min(), Limits::max());
}

std::vector<std::int32_t> ObjectReader::TakeInt32(std::string const& key) const {
  using Limits = std::numeric_limits<std::int32_t>;
  return TakeIntegers<std::int32_t>(*this, key, Limits::min(), Limits::max());
}

std::vector<std::uint8_t> ObjectReader::TakeFlags(std::string const& key) const {
  return TakeIntegers<std::uint8_t>(*this, key, 0, 1);
}

}  // namespace kauri::model_io
