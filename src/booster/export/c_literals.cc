#include "booster/export/c_literals.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "booster/export/wasm_code.h"

namespace kauri::model_export {
namespace {

char OctalDigit(unsigned char byte, unsigned shift) { return static_cast<char>('0' + ((byte >> shift) & 7U)); }

/// Returns the shortest text of a finite number that reads back as the same number.
template <typename Number>
std::string Shortest(Number value) {
  char text[32];
  std::string number(text, std::to_chars(text, text + sizeof(text), value).ptr);
  if (number.find_first_of(".e") == std::string::npos) number += ".0";
  return number;
}

std::vector<std::uint32_t> BitsOf(std::vector<float> const& values) {
  std::vector<std::uint32_t> bits(values.size());
  if (!values.empty()) std::memcpy(bits.data(), values.data(), values.size() * sizeof(float));
  return bits;
}

}  // namespace

std::string CFloat(float value) {
  if (std::isinf(value)) return value > 0.0F ? "1.0F / 0.0F" : "-1.0F / 0.0F";
  return Shortest(value) + 'F';
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

std::string CTable(std::string const& type, std::string const& name, std::vector<std::string> const& elements) {
  constexpr std::size_t kColumns = 120;
  std::string text = "static " + type + ' ' + name + "[] = {\n   ";
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

std::string CTables::Floats(std::string const& name, std::vector<float> const& values) {
  if (is_packed_) return Pack("float", name, BitsOf(values), sizeof(float));
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (auto const value : values) texts.push_back(CFloat(value));
  return CTable("const float", name, texts);
}

std::string CTables::Bits(std::string const& name, std::vector<float> const& values) {
  return Unsigned(name, BitsOf(values), "U");
}

std::string CDoubles(std::string const& name, std::vector<double> const& values) {
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (auto const value : values) texts.push_back(Shortest(value));
  return CTable("const double", name, texts);
}

std::string CTables::Unsigned(std::string const& name, std::vector<std::uint32_t> const& numbers, char const* suffix) {
  auto const largest = numbers.empty() ? 0U : *std::max_element(numbers.begin(), numbers.end());
  std::size_t const width = largest <= 0xFFU ? 1 : largest <= 0xFFFFU ? 2 : 4;
  auto const type = "uint" + std::to_string(8 * width) + "_t";
  if (is_packed_) return Pack(type.c_str(), name, numbers, width);
  std::vector<std::string> texts;
  texts.reserve(numbers.size());
  for (auto const number : numbers) texts.push_back(std::to_string(number) + suffix);
  return CTable("const " + type, name, texts);
}

std::string CTables::Pack(char const* type, std::string const& name, std::vector<std::uint32_t> const& numbers,
                          std::size_t width) {
  packer_.Add(numbers, width);
  auto const count = std::to_string(numbers.size());
  calls_ += "  kauri_unpack_table(" + name + ", " + count + ", " + std::to_string(width) + ");\n";
  return std::string("static ") + type + ' ' + name + '[' + (numbers.empty() ? "1" : count) + "];\n";
}

std::string CTables::Unpacker() {
  std::vector<std::string> texts;
  for (auto const byte : packer_.Finish()) texts.push_back(std::to_string(byte));
  return CTable("const uint8_t", "kauri_packed", texts) + kCUnpack +
         "\n/* Fills the tables, once. */\nstatic void kauri_unpack(void) {\n  if (kauri_next != 0) return;\n" +
         "  kauri_start_unpacking();\n" + calls_ + "}\n";
}

}  // namespace kauri::model_export
