#include "common/text/number_list.h"

#include <charconv>
#include <cmath>

namespace kauri {
namespace {

/// Extracts the text between the brackets. Returns false unless both brackets or none exist.
bool TakeBrackets(std::string const& text, std::string* inner) {
  auto const first = text.find_first_not_of(" \t");
  inner->clear();
  if (first == std::string::npos) return true;
  auto const last = text.find_last_not_of(" \t");
  auto const open = text[first];
  if (open != '[' && open != '(') {
    *inner = text.substr(first, last - first + 1);
    return inner->find(',') == std::string::npos;
  }
  if (last == first || text[last] != (open == '[' ? ']' : ')')) return false;
  *inner = text.substr(first + 1, last - first - 1);
  return true;
}

bool ParseNumber(std::string const& text, float* number) {
  auto const first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return false;
  auto const* const end = text.data() + text.find_last_not_of(" \t") + 1;
  auto const* const begin = text.data() + first + (text[first] == '+' ? 1 : 0);
  auto const parsed = std::from_chars(begin, end, *number);
  return parsed.ec == std::errc() && parsed.ptr == end && std::isfinite(*number);
}

std::string NumberText(float number) {
  char buffer[32];
  auto* const end = std::to_chars(buffer, buffer + sizeof(buffer), number, std::chars_format::scientific).ptr;
  std::string text(buffer, end);
  auto const exponent = text.find('e');
  return text.substr(0, exponent) + "E" + std::to_string(std::stoi(text.substr(exponent + 1)));
}

}  // namespace

bool ParseNumbers(std::string const& text, std::vector<float>* out) {
  out->clear();
  std::string inner;
  if (!TakeBrackets(text, &inner)) return false;
  if (inner.find_first_not_of(" \t") == std::string::npos) return true;
  std::size_t begin = 0;
  while (true) {
    auto const comma = inner.find(',', begin);
    float number = 0.0F;
    if (!ParseNumber(inner.substr(begin, comma == std::string::npos ? comma : comma - begin), &number)) return false;
    out->push_back(number);
    if (comma == std::string::npos) return true;
    begin = comma + 1;
  }
}

std::string NumbersText(std::vector<float> const& numbers) {
  std::string text = "[";
  for (auto const number : numbers) text += (text.size() > 1 ? "," : "") + NumberText(number);
  return text + "]";
}

}  // namespace kauri
