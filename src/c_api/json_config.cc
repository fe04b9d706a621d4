#include "c_api/json_config.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "c_api/guard.h"
#include "common/text/json_text.h"
#include "common/text/quoted.h"

namespace kauri::c_api {
namespace {

/// Quotes special numbers: JSON has no words for them, and clients write them bare. They become strings.
std::string QuoteSpecialNumbers(std::string const& text) {
  std::string quoted;
  auto in_string = false;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t length = 1;
    if (text[i] == '"') in_string = !in_string;
    if (in_string && text[i] == '\\' && i + 1 < text.size()) length = 2;
    auto special = false;
    for (char const* word : {"NaN", "-Infinity", "Infinity"}) {
      if (in_string || special || text.compare(i, std::strlen(word), word) != 0) continue;
      length = std::strlen(word);
      special = true;
    }
    auto const token = text.substr(i, length);
    quoted += special ? '"' + token + '"' : token;
    i += length;
  }
  return quoted;
}

/// Encodes bytes that are not UTF-8, which JSON does not allow but file names contain. They pass through the document
/// as U+10FF80 to U+10FFFF, private characters that occur in no name.
std::string WithCarriers(std::string_view text) {
  std::string carried;
  while (!text.empty()) {
    auto const length = Utf8Length(text);
    auto const byte = static_cast<unsigned char>(text.front());
    if (length == 0)
      carried += {'\xF4', '\x8F', static_cast<char>(0xBCU | byte >> 6U), static_cast<char>(byte & 0xBFU)};
    carried += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return carried;
}

std::string WithoutCarriers(std::string const& text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    auto const is_carrier = text.compare(at, 3, "\xF4\x8F\xBE") == 0 || text.compare(at, 3, "\xF4\x8F\xBF") == 0;
    auto const upper = is_carrier ? static_cast<unsigned char>(text[at + 2]) << 6U & 0xC0U : 0U;
    plain += is_carrier ? static_cast<char>(upper | (static_cast<unsigned char>(text[at + 3]) & 0x3FU)) : text[at];
    at += is_carrier ? 3 : 0;
  }
  return plain;
}

/// Returns whether the value is an integer that fits into int64.
bool IsInteger(nlohmann::json const& value) {
  auto const too_large = value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{1} << 62U;
  return value.is_number_integer() && !too_large;
}

}  // namespace

JsonConfig::JsonConfig(char const* text, char const* call)
    : call_(call),
      parsed_(ParseJsonText(QuoteSpecialNumbers(WithCarriers(NotNull(text, "config"))), ErrorKind::kParameter)) {
  if (!Document().is_object()) {
    Fail(ErrorKind::kParameter, call_, ": the configuration must be a JSON object, got ", Quoted(text), ".");
  }
}

nlohmann::json const& JsonConfig::Find(char const* key, char const* expected) const {
  auto const found = Document().find(key);
  if (found == Document().end()) {
    Fail(ErrorKind::kParameter, call_, ": the configuration lacks the key ", Quoted(key), "; add it with ", expected,
         ".");
  }
  return *found;
}

void JsonConfig::Refuse(char const* key, char const* expected) const {
  Fail(ErrorKind::kParameter, call_, ": the configuration's ", Quoted(key), " is ",
       Quoted(WithoutCarriers(Document().at(key).dump())), "; expected ", expected, ".");
}

std::int64_t JsonConfig::Integer(char const* key) const {
  constexpr char const* kExpected = "an integer";
  auto const& value = Find(key, kExpected);
  if (!IsInteger(value)) Refuse(key, kExpected);
  return value.get<std::int64_t>();
}

std::vector<std::int64_t> JsonConfig::Integers(char const* key) const {
  constexpr char const* kExpected = "a list of integers";
  auto const& value = Find(key, kExpected);
  if (!value.is_array() || !std::all_of(value.begin(), value.end(), IsInteger)) Refuse(key, kExpected);
  return value.get<std::vector<std::int64_t>>();
}

std::vector<double> JsonConfig::Numbers(char const* key) const {
  constexpr char const* kExpected = "a list of numbers";
  auto const& value = Find(key, kExpected);
  auto const is_number = [](nlohmann::json const& element) { return element.is_number(); };
  if (!value.is_array() || !std::all_of(value.begin(), value.end(), is_number)) Refuse(key, kExpected);
  return value.get<std::vector<double>>();
}

std::vector<std::vector<std::int64_t>> JsonConfig::IntegerLists(char const* key) const {
  constexpr char const* kExpected = "a list of lists of integers";
  auto const& value = Find(key, kExpected);
  auto const are_integers = [](nlohmann::json const& element) {
    return element.is_array() && std::all_of(element.begin(), element.end(), IsInteger);
  };
  if (!value.is_array() || !std::all_of(value.begin(), value.end(), are_integers)) Refuse(key, kExpected);
  return value.get<std::vector<std::vector<std::int64_t>>>();
}

std::vector<std::string> JsonConfig::Texts(char const* key) const {
  constexpr char const* kExpected = "a list of strings";
  auto const& value = Find(key, kExpected);
  auto const is_text = [](nlohmann::json const& element) { return element.is_string(); };
  if (!value.is_array() || !std::all_of(value.begin(), value.end(), is_text)) Refuse(key, kExpected);
  auto texts = value.get<std::vector<std::string>>();
  std::transform(texts.begin(), texts.end(), texts.begin(), WithoutCarriers);
  return texts;
}

std::int64_t JsonConfig::IntegerOr(char const* key, std::int64_t otherwise) const {
  return Has(key) ? Integer(key) : otherwise;
}

double JsonConfig::Number(char const* key) const {
  constexpr char const* kExpected = "a number, NaN or Infinity";
  auto const& value = Find(key, kExpected);
  if (value.is_number()) return value.get<double>();
  // no comparison of documents, which could run out of memory
  auto const* const word = value.get_ptr<std::string const*>();
  if (word != nullptr && *word == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (word != nullptr && *word == "Infinity") return std::numeric_limits<double>::infinity();
  if (word != nullptr && *word == "-Infinity") return -std::numeric_limits<double>::infinity();
  Refuse(key, kExpected);
}

bool JsonConfig::Boolean(char const* key) const {
  auto const& value = Find(key, "true or false");
  if (!value.is_boolean()) Refuse(key, "true or false");
  return value.get<bool>();
}

std::string JsonConfig::Text(char const* key) const {
  auto const& value = Find(key, "a string");
  if (!value.is_string()) Refuse(key, "a string");
  return WithoutCarriers(value.get<std::string>());
}

}  // namespace kauri::c_api
