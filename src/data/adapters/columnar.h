/// \file Tables that keep one array per column (data frames, Arrow).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/adapters/array_views.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// Packed bits, the least significant bit of a byte first. The first element is bit `offset`.
struct PackedBits {
  std::uint8_t const* bytes = nullptr;
  std::int64_t offset = 0;

  bool At(std::int64_t index) const {
    auto const bit = static_cast<std::uint64_t>(offset + index);
    return ((bytes[bit >> 3U] >> (bit & 7U)) & 1U) != 0U;
  }
};

/// A column in the caller's memory.
struct Column {
  ArrayView values;  ///< a vector
  PackedBits truth;  ///< values of packed booleans; the address in `values` is ignored then
  PackedBits valid;  ///< 0 where a value is missing; without bytes all are present
  /// [n_categories]: the value of each code of a category; nullptr for a column of numbers.
  std::shared_ptr<std::vector<float> const> codes = nullptr;
};

/// The columns of a table and the names of their categories.
struct ColumnTable {
  std::vector<Column> columns;
  CategoryNameTable names;  ///< [columns], or empty
};

/// Returns a view of columns of the same length. CopyRows \throws Error(kData) for infinite values, unless they are
/// accepted, and for codes without a category.
std::unique_ptr<DataView> MakeColumnarView(ColumnTable table, float missing,
                                           Infinities infinities = Infinities::kRefused);

/// Returns a view of columns. `json`: a list of array interfaces, one vector per column, all of the same length; each
/// column has its own dtype, and may have a "mask": packed bits (typestr "<t1") that are 0 where a value is missing. A
/// categorical column is a list of two elements, the names of its categories (ParseCategoryNames) and the codes;
/// `missing` does not apply to codes. \throws Error(kData) for columns that disagree; see also MakeDenseView.
///
/// Rows to predict may name only the categories that occur in them. Such a column is a list of three elements: these
/// names, codes into them, and the number of each name among all categories of the column (ParseCategoryNumbers).
/// `known` describes the categories that the model knows. If the model knows a column's categories by names, or knows
/// that it had none, the column gets the given names. Any other column gets the numbers, because a model without names
/// knows categories by their numbers. If `known` is null, lists of three are refused.
std::unique_ptr<DataView> MakeColumnarView(std::string const& json, float missing,
                                           Infinities infinities = Infinities::kRefused,
                                           ModelCategories const* known = nullptr);

/// Returns the columns of such a table in device memory, for DeviceMemory::Copy. Masks are not supported. \throws
/// Error(kData) as MakeColumnarView does.
std::vector<DeviceArray> ParseDeviceColumns(std::string const& json);

}  // namespace kauri
