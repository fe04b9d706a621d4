#include "booster/model_io/json_writer.h"

#include <algorithm>

namespace kauri::model_io {
namespace {

/// The bytes of the valid UTF-8 sequence at the start of `text` (RFC 3629: shortest form, no surrogates); 0 when there
/// is none.
std::size_t SequenceLength(std::string_view text) {
  auto const byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  auto const lead = byte(0);
  if (lead < 0x80U) return 1;
  if (lead < 0xC2U || lead > 0xF4U) return 0;
  std::size_t const length = lead < 0xE0U ? 2 : (lead < 0xF0U ? 3 : 4);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  bool const overlong = (lead == 0xE0U && byte(1) < 0xA0U) || (lead == 0xF0U && byte(1) < 0x90U);
  bool const outside = (lead == 0xEDU && byte(1) > 0x9FU) || (lead == 0xF4U && byte(1) > 0x8FU);
  return overlong || outside ? 0 : length;
}

/// The escape of an ASCII character, or empty where it stands for itself.
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
    auto const length = SequenceLength(text);
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

void JsonWriter::Integer(std::int64_t value) {
  Separate();
  out_ += std::to_string(value);
  first_ = false;
}

void JsonWriter::Float(float value) {
  Separate();
  out_ += FloatText(value);
  first_ = false;
}

}  // namespace kauri::model_io
