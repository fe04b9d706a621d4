#include "booster/model_io/json_writer.h"

#include <algorithm>

#include "common/text/quoted.h"

namespace kauri::model_io {
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
