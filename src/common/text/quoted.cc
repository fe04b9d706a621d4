#include "common/text/quoted.h"

#include <algorithm>

namespace kauri {
namespace {

constexpr std::size_t kMessageBytes = 4096;

/// Appends the first character of `text` to `out` and removes it from `text`.
void TakeCharacter(std::string_view* text, std::string* out) {
  constexpr char kHex[] = "0123456789ABCDEF";
  auto const byte = static_cast<unsigned char>(text->front());
  auto const length = Utf8Length(*text);
  if (length > 0 && byte >= 0x20U && byte != 0x7FU) {
    out->append(text->substr(0, length));
  } else {
    *out += {'\\', 'x', kHex[byte >> 4U], kHex[byte & 15U]};
  }
  text->remove_prefix(std::max<std::size_t>(length, 1));
}

std::string Escaped(std::string_view text) {
  std::string escaped;
  while (!text.empty()) TakeCharacter(&text, &escaped);
  return escaped;
}

bool IsContinuation(char letter) { return (static_cast<unsigned char>(letter) & 0xC0U) == 0x80U; }

/// Returns `at`, or a position up to three bytes before it, so that no character is cut in two.
std::size_t CharacterBegin(std::string_view text, std::size_t at) {
  auto begin = at;
  while (begin > 0 && at - begin < 3 && IsContinuation(text[begin])) --begin;
  return IsContinuation(text[begin]) ? at : begin;
}

}  // namespace

std::size_t Utf8Length(std::string_view text) {
  auto const byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  auto const lead = byte(0);
  if (lead < 0x80U) return text.empty() ? 0 : 1;
  if (lead < 0xC2U || lead > 0xF4U) return 0;
  std::size_t const length = lead < 0xE0U ? 2 : (lead < 0xF0U ? 3 : 4);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  bool const overlong = (lead == 0xE0U && byte(1) < 0xA0U) || (lead == 0xF0U && byte(1) < 0x90U);
  bool const outside = (lead == 0xEDU && byte(1) > 0x9FU) || (lead == 0xF4U && byte(1) > 0x8FU);
  return overlong || outside ? 0 : length;
}

std::string Quoted(std::string_view text, std::size_t shown) {
  if (text.size() <= shown) return "'" + Escaped(text) + "'";
  return "'" + Escaped(text.substr(0, CharacterBegin(text, shown))) + "...' (" + std::to_string(text.size()) +
         " bytes)";
}

std::string Presentable(std::string_view message) {
  if (message.size() <= kMessageBytes) return Escaped(message);
  auto const begin = CharacterBegin(message, kMessageBytes / 2);
  auto const end = CharacterBegin(message, message.size() - kMessageBytes / 2);
  return Escaped(message.substr(0, begin)) + " [... " + std::to_string(end - begin) + " bytes ...] " +
         Escaped(message.substr(end));
}

}  // namespace kauri
