#include "sequence/tables.h"

#include <cmath>
#include <limits>

#include "sequence/world.h"

namespace kauri::fuzz {
namespace {

constexpr auto kNaN = std::numeric_limits<float>::quiet_NaN();

/// Returns a number below `limit` that looks random.
unsigned Mix(unsigned a, unsigned b, unsigned limit) {
  auto const mixed = (a * 2654435761U) ^ (b * 2246822519U + 374761393U);
  return (mixed ^ (mixed >> 15U)) % limit;
}

float Cell(unsigned form, unsigned index) {
  auto const drawn = Mix(index, form, 97);
  switch (form % 8) {
    case 0:
    case 1:
      return static_cast<float>(drawn) / 97.0F;
    case 2:
      return drawn % 5 == 0 ? kNaN : static_cast<float>(drawn % 7);
    case 3:
      return static_cast<float>(drawn % 4);
    case 4:
      return drawn % 3 == 0 ? kNaN : 1.0F;
    case 5:
      return (drawn % 2 == 0 ? 1.0F : -1.0F) * std::pow(10.0F, static_cast<float>(drawn % 38));
    case 6:
      return static_cast<float>(drawn % 2);
    default:
      return drawn == 0 ? std::numeric_limits<float>::infinity() : static_cast<float>(drawn) - 40.0F;
  }
}

float Value(unsigned form, unsigned index) {
  auto const step = index / 5;
  switch (form % 16) {
    case 0:
    case 1:
      return static_cast<float>(index % 2);
    case 2:
      return static_cast<float>(index % 3);
    case 3:
      return static_cast<float>(Mix(index, form, 50)) / 50.0F;
    case 4:
      return 1.0F;
    case 5:
      return static_cast<float>(index);
    case 6:
      return -static_cast<float>(index % 4);
    case 7:
      return 1000.0F + static_cast<float>(index % 5);
    case 8:
      return std::pow(10.0F, static_cast<float>(Mix(index, form, 38)));
    case 9:
      return index == 1 ? kNaN : 1.0F;
    case 10:
      return index == 2 ? std::numeric_limits<float>::infinity() : 0.5F;
    case 11:
      return 0.0F;
    case 12:
      return static_cast<float>(step);
    case 13:
      return 1e-38F;
    case 14:
      return static_cast<float>(Mix(index, form, 4));
    default:
      return std::numeric_limits<float>::max();
  }
}

std::string Pair(unsigned first, unsigned second) {
  return "[" + std::to_string(first) + ", " + std::to_string(second) + "]";
}

}  // namespace

std::vector<float> MakeValues(Bytes* bytes, std::size_t size) {
  auto const form = bytes->Next();
  std::vector<float> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = Value(form, static_cast<unsigned>(i));
  return values;
}

Cells::Cells(Bytes* bytes, unsigned n_cols) : rows(bytes->Below(41)), cols(n_cols) {
  if (cols == 0) cols = bytes->Below(7);
  values.resize(std::size_t{rows} * cols);
  by_column.resize(values.size());
  for (unsigned col = 0; col < cols; ++col) {
    auto const form = bytes->Next();
    for (unsigned row = 0; row < rows; ++row) {
      values[row * cols + col] = by_column[col * rows + row] = Cell(form, row + form / 8);
    }
  }
}

std::string Cells::Dense() const { return Interface(values, "<f4", Pair(rows, cols)); }

std::string Cells::Columns() const {
  std::string columns;
  for (unsigned col = 0; col < cols; ++col) {
    auto const address = reinterpret_cast<std::uintptr_t>(by_column.data() + std::size_t{col} * rows);
    columns += (col == 0 ? "" : ", ");
    columns += R"({"data": [)" + std::to_string(address) + R"(, true], "typestr": "<f4", "shape": [)" +
               std::to_string(rows) + R"(], "version": 3})";
  }
  return "[" + columns + "]";
}

SparseCells::SparseCells(Cells const& cells) : starts{0} {
  for (unsigned row = 0; row < cells.rows; ++row) {
    for (unsigned col = 0; col < cells.cols; ++col) {
      auto const value = cells.values[row * cells.cols + col];
      if (std::isnan(value)) continue;
      indices.push_back(static_cast<std::int32_t>(col));
      values.push_back(value);
    }
    starts.push_back(static_cast<std::int64_t>(values.size()));
  }
}

}  // namespace kauri::fuzz
