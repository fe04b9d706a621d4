#include "booster/model_io/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "common/text/quoted.h"

namespace kauri::model_io {
namespace {

char* WriteWord(char const* word, char* out) {
  auto const length = std::strlen(word);
  std::memcpy(out, word, length);
  return out + length;
}

/// Shortens an exponent in place and returns the new end: 1.5e-07 becomes 1.5E-7, and 5e+00 becomes 5E0.
char* ShortenExponent(char* begin, char* end) {
  auto* mark = end - 1;
  while (mark > begin && *mark != 'e') --mark;
  *mark++ = 'E';
  auto const* digits = mark + 1;
  if (*mark == '-') ++mark;
  while (digits + 1 < end && *digits == '0') ++digits;
  while (digits < end) *mark++ = *digits++;
  return mark;
}

std::string Digits(float value, int n_digits) {
  char text[2 * kFloatTextBytes];
  auto const result = std::to_chars(text, text + sizeof(text), value, std::chars_format::general, n_digits);
  return {text, result.ptr};
}

}  // namespace

char* WriteFloat(float value, char* out) {
  if (value == 0.0F) return WriteWord(std::signbit(value) ? "-0E0" : "0E0", out);
  if (std::isnan(value)) return WriteWord("NaN", out);
  if (std::isinf(value)) return WriteWord(value < 0.0F ? "-Infinity" : "Infinity", out);
  auto const result = std::to_chars(out, out + kFloatTextBytes, value, std::chars_format::scientific);
  return ShortenExponent(out, result.ptr);
}

std::string FloatText(float value) {
  char text[kFloatTextBytes];
  return {text, WriteFloat(value, text)};
}

std::string NineDigits(float value) { return Digits(value, 9); }

std::string SixDigits(float value) { return Digits(value, 6); }

bool ParseFloat(std::string const& text, float* out) {
  auto const begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return false;
  auto const* end = text.data() + text.find_last_not_of(" \t\r\n") + 1;
  auto const result = std::from_chars(text.data() + begin, end, *out);
  return result.ec == std::errc() && result.ptr == end && std::isfinite(*out);
}

namespace {

/// JSON type with float as the number type, so that text is rounded once, to float32.
using Json = nlohmann::basic_json<std::map, std::vector, std::string, bool, std::int64_t, std::uint64_t, float>;

/// Marks of the infinities while the text is parsed. No model file holds integers of 2^63 or more.
constexpr std::uint64_t kPlusInfinity = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kMinusInfinity = kPlusInfinity - 1;

class Handler final : public nlohmann::json_sax<Json> {
 public:
  explicit Handler(DocumentBuilder* builder) : builder_(builder) {}

  bool null() override { return Done(&DocumentBuilder::Null); }
  bool boolean(bool value) override { return Done(&DocumentBuilder::Boolean, value); }
  bool number_integer(std::int64_t value) override { return Done(&DocumentBuilder::Integer, value); }
  bool number_unsigned(std::uint64_t value) override {
    using Limits = std::numeric_limits<float>;
    if (value == kPlusInfinity) return Done(&DocumentBuilder::Float, Limits::infinity());
    if (value == kMinusInfinity) return Done(&DocumentBuilder::Float, -Limits::infinity());
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      Fail(ErrorKind::kModel, "model: '", builder_->Path(), "' is ", value, "; expected an integer below 2^63");
    }
    return Done(&DocumentBuilder::Integer, static_cast<std::int64_t>(value));
  }
  bool number_float(float value, std::string const&) override { return Done(&DocumentBuilder::Float, value); }
  bool string(std::string& text) override { return Done(&DocumentBuilder::String, std::move(text)); }
  bool binary(Json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return Done(&DocumentBuilder::BeginObject); }
  bool key(std::string& text) override { return Done(&DocumentBuilder::Key, std::move(text)); }
  bool end_object() override { return Done(&DocumentBuilder::EndObject); }
  bool start_array(std::size_t) override { return Done(&DocumentBuilder::BeginArray); }
  bool end_array() override { return Done(&DocumentBuilder::EndArray); }
  bool parse_error(std::size_t position, std::string const& token, Json::exception const&) override {
    Fail(ErrorKind::kModel, "model: not valid JSON at byte ", position, ", near '", Printable(token), "', at '",
         builder_->Path(), "'; the file is cut off or damaged");
  }

 private:
  template <typename Method, typename... Args>
  bool Done(Method method, Args&&... args) {
    (builder_->*method)(std::forward<Args>(args)...);
    return true;
  }

  DocumentBuilder* builder_;
};

bool Contains(Span<char const> text, std::string_view word) {
  return std::string_view(text.data(), text.size()).find(word) != std::string_view::npos;
}

/// Returns the text with NaN outside of strings replaced by null, and infinities replaced by their marks.
std::string MarkNonFinite(std::string_view text) {
  constexpr std::string_view kNaN = "NaN";
  constexpr std::string_view kInfinity = "Infinity";
  std::string marked;
  marked.reserve(text.size() + text.size() / 4);
  bool inside_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (inside_string && text[i] == '\\') {
      marked += text[i++];
    } else if (text[i] == '"') {
      inside_string = !inside_string;
    } else if (!inside_string && text[i] == 'N' && text.compare(i, kNaN.size(), kNaN) == 0) {
      marked += "null";
      i += kNaN.size() - 1;
      continue;
    } else if (!inside_string && text[i] == 'I' && text.compare(i, kInfinity.size(), kInfinity) == 0) {
      bool const negative = !marked.empty() && marked.back() == '-';
      if (negative) marked.pop_back();
      marked += std::to_string(negative ? kMinusInfinity : kPlusInfinity);
      i += kInfinity.size() - 1;
      continue;
    }
    if (i < text.size()) marked += text[i];
  }
  return marked;
}

}  // namespace

Value ParseJson(Span<char const> text) {
  std::string marked;
  if (Contains(text, "NaN") || Contains(text, "Infinity")) {
    marked = MarkNonFinite({text.data(), text.size()});
    text = {marked.data(), marked.size()};
  }
  DocumentBuilder builder;
  Handler handler(&builder);
  Json::sax_parse(text.data(), text.data() + text.size(), &handler);
  return builder.Take();
}

namespace {

/// Returns the escape of an ASCII character; empty if it needs none.
std::string EscapeOf(char letter) {
  constexpr std::string_view kLetters = "\"\\\b\f\n\r\t";
  constexpr std::string_view kNames = "\"\\bfnrt";
  constexpr char kHex[] = "0123456789abcdef";
  auto const found = kLetters.find(letter);
  if (found != std::string_view::npos) return {'\\', kNames[found]};
  auto const code = static_cast<unsigned char>(letter);
  if (code >= 0x20U) return {};
  return {'\\', 'u', '0', '0', kHex[code >> 4U], kHex[code & 0xFU]};
}

}  // namespace

void JsonWriter::Separate() {
  if (!first_) out_ += ',';
}

void JsonWriter::Open(char bracket) {
  Separate();
  out_ += bracket;
  first_ = true;
}

void JsonWriter::Close(char bracket) {
  out_ += bracket;
  first_ = false;
}

void AppendEscaped(std::string_view text, std::string* out) {
  while (!text.empty()) {
    auto const length = Utf8Length(text);
    auto const escape = length == 1 ? EscapeOf(text[0]) : std::string();
    if (length == 0) {
      *out += "\xEF\xBF\xBD";
    } else if (escape.empty()) {
      *out += text.substr(0, length);
    } else {
      *out += escape;
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
}

void JsonWriter::Quote(std::string_view text) {
  out_ += '"';
  AppendEscaped(text, &out_);
  out_ += '"';
}

void JsonWriter::Key(std::string_view key) {
  Separate();
  Quote(key);
  out_ += ':';
  first_ = true;
}

void JsonWriter::String(std::string_view text) {
  Separate();
  Quote(text);
  first_ = false;
}

void JsonWriter::Integer(std::int64_t value) { Word(std::to_string(value)); }

void JsonWriter::Float(float value) { Word(FloatText(value)); }

void JsonWriter::Word(std::string_view word) {
  Separate();
  out_ += word;
  first_ = false;
}

}  // namespace kauri::model_io
