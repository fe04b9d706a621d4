#include "booster/export/c_literals.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace kauri::model_export {
namespace {

char OctalDigit(unsigned char byte, unsigned shift) { return static_cast<char>('0' + ((byte >> shift) & 7U)); }

}  // namespace

std::string CFloat(float value) {
  if (std::isinf(value)) return value > 0.0F ? "1.0F / 0.0F" : "-1.0F / 0.0F";
  char text[32];
  std::string number(text, std::to_chars(text, text + sizeof(text), value).ptr);
  if (number.find_first_of(".e") == std::string::npos) number += ".0";
  return number + 'F';
}

std::string CString(std::string_view text) {
  std::string literal = "\"";
  for (auto const character : text) {
    auto const byte = static_cast<unsigned char>(character);
    if (byte < 0x20 || byte > 0x7E) {
      for (auto const octal : {'\\', OctalDigit(byte, 6), OctalDigit(byte, 3), OctalDigit(byte, 0)}) literal += octal;
      continue;
    }
    if (character == '"' || character == '\\' || character == '?') literal += '\\';
    literal += character;
  }
  return literal + '"';
}

char const* CUnsigned(std::uint64_t largest) {
  if (largest <= std::numeric_limits<std::uint8_t>::max()) return "uint8_t";
  return largest <= std::numeric_limits<std::uint16_t>::max() ? "uint16_t" : "uint32_t";
}

std::string CTable(std::string const& type, std::string const& name, std::vector<std::string> const& elements) {
  constexpr std::size_t kColumns = 120;
  std::string text = "static const " + type + ' ' + name + "[] = {\n   ";
  std::size_t width = 3;
  for (auto const& element : elements) {
    if (width + element.size() + 2 > kColumns) {
      text += "\n   ";
      width = 3;
    }
    text += ' ' + element + ',';
    width += element.size() + 2;
  }
  if (elements.empty()) text += " 0,";
  return text + "\n};\n";
}

std::string CFloats(std::string const& name, std::vector<float> const& values) {
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (auto const value : values) texts.push_back(CFloat(value));
  return CTable("float", name, texts);
}

std::string CBits(std::string const& name, std::vector<float> const& values) {
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (auto const value : values) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    texts.push_back(std::to_string(bits) + 'U');
  }
  return CTable("uint32_t", name, texts);
}

}  // namespace kauri::model_export
