/// \file Small tables in the caller's memory and their descriptions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/bytes.h"

namespace kauri::fuzz {

/// Returns JSON of an array interface; shape is JSON. The values must outlive it.
template <typename T>
std::string Interface(std::vector<T> const& values, char const* typestr, std::string const& shape) {
  return R"({"data": [)" + std::to_string(reinterpret_cast<std::uintptr_t>(values.data())) +
         R"(, true], "typestr": ")" + typestr + R"(", "shape": )" + shape + R"(, "version": 3})";
}
template <typename T>
std::string Vector(std::vector<T> const& values, char const* typestr) {
  return Interface(values, typestr, "[" + std::to_string(values.size()) + "]");
}

/// Up to 40 rows of up to 6 columns: fractions, categories, missing values, and sometimes values that no table should
/// hold.
struct Cells {
  /// n_cols: 0 for a number chosen by the input.
  Cells(Bytes* bytes, unsigned n_cols);
  std::string Dense() const;
  /// Returns one array per column.
  std::string Columns() const;

  unsigned rows;
  unsigned cols;
  std::vector<float> values;     ///< [rows, cols]
  std::vector<float> by_column;  ///< [cols, rows]
};

/// The present cells of a table as compressed rows.
struct SparseCells {
  explicit SparseCells(Cells const& cells);
  std::string Starts() const { return Vector(starts, "<i8"); }
  std::string Indices() const { return Vector(indices, "<i4"); }
  std::string Values() const { return Vector(values, "<f4"); }

  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> indices;
  std::vector<float> values;
};

}  // namespace kauri::fuzz
