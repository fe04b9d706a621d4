/// \file Tables and literals of C99.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "booster/export/packed_bytes.h"

namespace kauri::model_export {

/// Returns the shortest text from which C reads back the same float: "0.5F"; infinities as quotients.
std::string CFloat(float value);
/// Returns a string literal. Bytes outside printable ASCII become octal escapes, and question marks are escaped, so
/// that no name ends the literal or forms a trigraph.
std::string CString(std::string_view text);
/// Returns the text of a static table in lines of at most 120 columns. A table without elements gets one, which nothing
/// reads, because C has no empty arrays.
std::string CTable(std::string const& type, std::string const& name, std::vector<std::string> const& elements);

/// Returns a table of constants.
std::string CDoubles(std::string const& name, std::vector<double> const& values);

/// Writer of the tables of one file: as constants, or as variables that a function of the file fills from packed bytes.
class CTables {
 public:
  explicit CTables(bool is_packed) : is_packed_(is_packed) {}

  /// Returns the table of the numbers, in the smallest unsigned type.
  template <typename Number>
  std::string Numbers(std::string const& name, std::vector<Number> const& numbers) {
    return Unsigned(name, {numbers.begin(), numbers.end()}, "");
  }
  std::string Floats(std::string const& name, std::vector<float> const& values);
  /// Returns the table of the bits of floats, which holds every NaN and zero exactly.
  std::string Bits(std::string const& name, std::vector<float> const& values);
  /// Returns the packed bytes of all tables so far, and the function kauri_unpack that fills them.
  std::string Unpacker();

 private:
  std::string Unsigned(std::string const& name, std::vector<std::uint32_t> const& numbers, char const* suffix);
  /// Packs a table and returns its declaration.
  std::string Pack(char const* type, std::string const& name, std::vector<std::uint32_t> const& numbers,
                   std::size_t width);

  bool is_packed_;
  BytePacker packer_;
  std::string calls_;  ///< which fill the tables, in order
};

}  // namespace kauri::model_export
