/// \file Tables and literals of C99.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kauri::model_export {

/// Returns the shortest text from which C reads back the same float: "0.5F"; infinities as quotients.
std::string CFloat(float value);
/// Returns a string literal. Bytes outside printable ASCII become octal escapes, and question marks are escaped, so
/// that no name ends the literal or forms a trigraph.
std::string CString(std::string_view text);
/// Returns the name of the smallest unsigned type that holds `largest`.
char const* CUnsigned(std::uint64_t largest);
/// Returns the text of a static table in lines of at most 120 columns. A table without elements gets one, which nothing
/// reads, because C has no empty arrays.
std::string CTable(std::string const& type, std::string const& name, std::vector<std::string> const& elements);

/// Returns the table of the numbers, in the smallest type.
template <typename Number>
std::string CNumbers(std::string const& name, std::vector<Number> const& numbers) {
  std::uint64_t largest = 0;
  std::vector<std::string> texts;
  texts.reserve(numbers.size());
  for (auto const number : numbers) {
    if (static_cast<std::uint64_t>(number) > largest) largest = static_cast<std::uint64_t>(number);
    texts.push_back(std::to_string(number));
  }
  return CTable(CUnsigned(largest), name, texts);
}

std::string CFloats(std::string const& name, std::vector<float> const& values);
/// Returns the table of the bits of floats, which holds every NaN and zero exactly.
std::string CBits(std::string const& name, std::vector<float> const& values);

}  // namespace kauri::model_export
