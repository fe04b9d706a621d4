/// \file Columns with few different values, stored as codes for the exact method.
///
/// Vocabulary. The code of a value is its index among the column's values; the code of a category is its index among
/// the feature's categories (FillGaps of data/categories/categories.h). Missing values have the code after the last.
/// Only dense data have codes: numbers with at most kMaxValues different values, and categorical columns. Narrow
/// columns have one-byte codes, stored row by row. Wide columns, which are categorical, have two-byte codes, stored
/// column by column.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "data/categories/categories.h"
#include "data/sorted_columns.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "tree/exact/exact_scan.h"

namespace kauri {

/// Maximum number of different values of a coded number; with the code for missing values there are 256 codes.
constexpr std::size_t kMaxValues = 255;

struct CodedColumn {
  std::uint32_t feature = 0;
  ScanMode mode = ScanMode::kDownwards;
  std::uint32_t n_values = 0;
  std::vector<float> values;             ///< [n_values], ascending; empty if categorical
  std::uint32_t narrow = 0;              ///< index among the narrow columns
  std::vector<std::uint16_t> wide = {};  ///< [n_rows]; empty if narrow

  bool IsCategorical() const { return values.empty(); }
  bool IsWide() const { return !wide.empty(); }
  std::size_t NumCodes() const { return std::size_t{n_values} + 1; }
};

/// Coded columns of a data set. Immutable.
class ExactCodes {
 public:
  /// categories: the categories of `data`, with their gaps filled.
  ExactCodes(Context const& ctx, DataMatrix const& data, SortedColumns const& sorted, CategoryLists categories);

  CategoryLists const& Categories() const { return categories_; }

  /// Features are ascending.
  std::vector<CodedColumn> const& Columns() const { return columns_; }
  bool HasNumbers() const;
  std::int64_t BytesHeld() const;
  /// Returns the index of a feature in Columns(), or -1.
  std::int32_t Find(std::uint32_t feature) const { return place_of_[feature]; }
  /// Returns the codes of the narrow columns; nullptr if there are none.
  BinMatrix const* Narrow() const { return narrow_.get(); }

  /// Calls fn(code_of) with a function code_of(row) of the column's code type.
  template <typename Fn>
  void WithCodes(CodedColumn const& column, Fn&& fn) const {
    if (column.IsWide()) {
      auto const* codes = column.wide.data();
      fn([codes](std::uint32_t row) -> std::uint32_t { return codes[row]; });
    } else {
      auto const* codes = narrow_->Bytes().rows.data() + column.narrow;
      auto const stride = static_cast<std::size_t>(narrow_->Bytes().row_stride);
      fn([codes, stride](std::uint32_t row) -> std::uint32_t { return codes[row * stride]; });
    }
  }

 private:
  void AddColumn(SortedColumns const& sorted, std::uint32_t feature, std::vector<std::int32_t> const& categories);
  void MakeNarrow(Context const& ctx, DataMatrix const& data, SortedColumns const& sorted);

  CategoryLists categories_;
  std::vector<CodedColumn> columns_;
  std::vector<std::int32_t> place_of_;  // [n_cols]
  std::unique_ptr<BinMatrix> narrow_;
};

}  // namespace kauri
