/// \file Tables that keep one array per column (data frames, Arrow).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/adapters/infinities.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// Packed bits, the least significant of a byte first; the first is bit `offset`.
struct PackedBits {
  std::uint8_t const* bytes = nullptr;
  std::int64_t offset = 0;

  bool At(std::int64_t index) const {
    auto const bit = static_cast<std::uint64_t>(offset + index);
    return ((bytes[bit >> 3U] >> (bit & 7U)) & 1U) != 0U;
  }
};

/// A column in somebody else's memory.
struct Column {
  ArrayView values;  ///< a vector
  PackedBits truth;  ///< the values of packed booleans; the address in `values` is not read then
  PackedBits valid;  ///< clear where a value is missing; without bytes all are present
  /// What a category's code becomes, [n_categories]; nullptr for a column of numbers.
  std::shared_ptr<std::vector<float> const> codes = nullptr;
};

/// The columns of a table and what their categories are called.
struct ColumnTable {
  std::vector<Column> columns;
  CategoryNameTable names;  ///< [columns], or empty
};

/// A view of columns of one length. \throws Error(kData) for infinite values, unless they are taken, and for codes that
/// stand for no category, from CopyRows.
std::unique_ptr<DataView> MakeColumnarView(ColumnTable table, float missing,
                                           Infinities infinities = Infinities::kRefused);

/// A view of columns. `json`: a list of array interfaces, one vector per column, all of the same length; each column
/// has its own dtype, and may have a "mask": packed bits (typestr "<t1") that are clear where a value is missing. A
/// categorical column is a list of two, the names of its categories (ParseCategoryNames) and the codes; `missing` says
/// nothing of codes. \throws Error(kData) for columns that disagree; see also MakeDenseView.
///
/// Rows to predict may name only the categories that they have: such a column is a list of three, those names, codes
/// into them, and the number of each among all categories of the column (ParseCategoryNumbers). `known` is what
/// the model knows of categories. A column that the model knows by names, or to have none, has the given names then.
/// Any other column has the numbers, because a model without names knows categories by their numbers. Null: three are
/// refused.
std::unique_ptr<DataView> MakeColumnarView(std::string const& json, float missing,
                                           Infinities infinities = Infinities::kRefused,
                                           ModelCategories const* known = nullptr);

/// The columns of such a table in device memory, for DeviceMemory::Copy, without masks. \throws Error(kData) as
/// MakeColumnarView does.
std::vector<DeviceArray> ParseDeviceColumns(std::string const& json);

}  // namespace kauri
