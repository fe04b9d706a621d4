/// \file The training data as small integers: which bin of its feature each value lies in.
///
/// Vocabulary. A code is a bin's number within its feature; a feature with missing values in a dense matrix has one
/// code more, its last. A cell is a code of a feature: cells are numbered feature by feature, and a histogram has one
/// sum per cell.
///
/// Dense data are kept twice, row by row (what histograms read) and column by column (what the partition of rows
/// reads); sparse data once, as the ascending cells of each row's entries. Codes take one byte where all fit, else two.
/// A page of a larger table (data/bins/bin_store.h) has no copy by columns.
/// A column with more than kMaxShortCodes categories does not fit into codes of two bytes: its matrix has the form of
/// sparse data, whose cells have four bytes, whatever the rows are stored as.
/// Where most codes are their features' usual ones, histograms read lists of the others (data/bins/unusual_cells.h).
/// Where neighbouring features exclude each other (data/bins/feature_bundles.h), histograms read their bundles' codes;
/// sparse data are then partitioned by them, too.
/// The matrices of a group's ranks, which make the same calls, have one layout: cuts, cells, bundles, usual codes, and
/// whether there are lists, are those of the rows of all.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bins/feature_bundles.h"
#include "data/bins/unusual_cells.h"
#include "data/sketch/quantile_sketch.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/gradient.h"

namespace kauri {

/// What FindCode returns for a missing entry of a sparse matrix, and MissingCode for a feature without that code.
constexpr std::uint32_t kNoCode = 0xFFFFFFFFU;

/// What stands for an absent entry where sparse codes are written out; no bin has this code.
constexpr std::uint16_t kAbsentCode = 0xFFFFU;

/// The most bins of a feature that codes of two bytes can number, beside one code for missing or absent values.
constexpr std::uint32_t kMaxShortCodes = 65535;

/// Cells from one feature to the next where every feature gets as many: 256 codes and a cache line.
constexpr std::uint32_t kEvenCells = 260;

/// Dense codes of one width. Both arrays end in kPadding codes, so that whole words may be read at any code.
template <typename Code>
struct BinCodes {
  static constexpr std::int64_t kPerWord = static_cast<std::int64_t>(sizeof(std::uint64_t) / sizeof(Code));
  static constexpr std::int64_t kPadding = kPerWord;

  std::int64_t row_stride = 0;  ///< n_cols rounded up to whole words
  std::vector<Code> rows;       ///< [n_rows, row_stride]
  std::vector<Code> columns;    ///< [n_cols, n_rows]
};

/// Codes of bundles, in bytes; empty where they would not pay.
struct BundledCodes {
  std::vector<FeatureBundle> bundles;
  std::vector<std::uint32_t> bundle_of;  ///< [n_cols]
  std::vector<std::uint32_t> usual;      ///< [n_cols] usual codes, kNoUsual outside of bundles; dense data only
  BinCodes<std::uint8_t> codes;          ///< a column for each bundle; by columns for sparse data only
};

/// Entries of sparse data; not by columns where they are bundled.
struct BinEntries {
  std::vector<std::int64_t> row_ptr;  ///< [n_rows + 1]
  std::vector<std::uint32_t> cells;   ///< [n_entries], ascending within a row

  std::vector<std::int64_t> column_ptr;     ///< [n_cols + 1]
  std::vector<std::uint32_t> column_rows;   ///< [n_entries], ascending within a column
  std::vector<std::uint16_t> column_codes;  ///< [n_entries]; not meant to be read where NumBins > kMaxShortCodes
};

/// The entries of one column.
struct ColumnEntries {
  std::uint32_t const* rows;
  std::uint16_t const* codes;
  std::int64_t n;
};

/// What must be known of rows before the first of them gets its codes.
struct BinShape {
  std::int64_t n_rows = 0;
  bool is_dense = true;
  std::vector<std::uint8_t> has_missing;  ///< [n_cols]: which features miss a value in some row; dense data only
  bool by_column = true;                  ///< whether the copy by columns, or bundles, are wanted
};

/// Immutable once made.
class BinMatrix {
 public:
  BinMatrix(Context const& ctx, DataMatrix const& data, QuantileCuts cuts);
  /// Room for shape.n_rows rows, to be given to Append part by part, or to be read into.
  BinMatrix(Context const& ctx, QuantileCuts cuts, BinShape const& shape);
  /// Codes the next rows. Finish comes after the last. \throws Error(kData) for more rows than there is room for, for a
  /// missing value in a feature that was said to have none, and for a category that the cuts do not have.
  void Append(Context const& ctx, DataView const& rows);
  /// Checks that all rows came, and makes what FinishCodes makes. \throws Error(kData).
  void Finish(Context const& ctx);
  /// Makes room for n_rows rows, and n_entries where they are sparse, whose codes are about to be written there.
  void Resize(std::int64_t n_rows, std::int64_t n_entries);
  /// Makes the copy by columns, where it is wanted, of codes that were written by rows.
  void FinishCodes(Context const& ctx);
  /// The codes row by row, or the cells of sparse data: what one reads or writes as bytes.
  Span<char> MutableCodes();
  /// [n_rows + 1], sparse data only.
  Span<std::int64_t> MutableRowPtr() { return entries_.row_ptr; }

  std::int64_t NumRows() const { return n_rows_; }
  std::int64_t NumCols() const { return cuts_.NumCols(); }
  std::uint32_t NumCells() const { return feature_begin_.back(); }
  QuantileCuts const& Cuts() const { return cuts_; }
  /// [n_cols + 1]: the cells of feature f begin at [f], those of the next at [f + 1].
  std::vector<std::uint32_t> const& FeatureBegin() const { return feature_begin_; }
  /// Codes are bytes and feature f begins at cell f * kEvenCells.
  bool HasEvenCells() const { return even_cells_; }
  std::uint32_t NumBins(std::size_t feature) const { return cuts_.NumBins(feature); }
  /// The code of a missing value of this feature, or kNoCode.
  std::uint32_t MissingCode(std::size_t feature) const {
    return !has_missing_.empty() && has_missing_[feature] != 0 ? NumBins(feature) : kNoCode;
  }

  bool IsDense() const { return is_dense_; }
  BinShape Shape() const { return {n_rows_, is_dense_, has_missing_, by_column_}; }
  /// Whether the copy by columns is there.
  bool HasColumns() const { return by_column_; }
  bool HasByteCodes() const { return byte_codes_; }
  /// Bytes of the codes of a row of dense data.
  std::int64_t CodeBytesOfRow() const { return byte_codes_ ? bytes_.row_stride : words_.row_stride * 2; }
  BinCodes<std::uint8_t> const& Bytes() const { return bytes_; }
  BinCodes<std::uint16_t> const& Words() const { return words_; }
  BinEntries const& Entries() const { return entries_; }
  bool HasBundles() const { return !bundled_.bundles.empty(); }
  BundledCodes const& Bundled() const { return bundled_; }
  /// Lists for histograms, or empty.
  UnusualCells const& Unusual() const { return unusual_; }
  /// What the codes of a feature are less by than its bundle's.
  std::uint32_t BundleOffset(std::size_t feature) const {
    return feature_begin_[feature] - bundled_.bundles[bundled_.bundle_of[feature]].first_cell;
  }
  /// Completes a histogram that was made from bundles or lists, for features [first, last). total: of all its rows.
  void FillUsual(std::uint32_t first, std::uint32_t last, FixedSum total, FixedSum* histogram) const;
  /// Sparse data without bundles only.
  ColumnEntries EntriesOf(std::size_t feature) const {
    auto const begin = entries_.column_ptr[feature];
    return {entries_.column_rows.data() + begin, entries_.column_codes.data() + begin,
            entries_.column_ptr[feature + 1] - begin};
  }
  /// A checksum of all that says what a cell of a histogram means, and which cells are usual ones.
  std::uint32_t LayoutDigest() const;
  /// What cuts and codes take.
  std::int64_t BytesHeld() const;
  /// Values that are not missing.
  std::int64_t CountEntries(Context const& ctx) const;
  /// The code of one cell of the table; kNoCode for an absent entry of sparse data. Costs a binary search there.
  std::uint32_t FindCode(std::int64_t row, std::size_t feature) const;

 private:
  void PlaceCells();

  void AppendSparse(Context const& ctx, CsrStorage const& rows);

  std::int64_t n_rows_;
  std::int64_t n_filled_ = 0;  ///< rows appended so far
  QuantileCuts cuts_;
  bool is_dense_;
  bool by_column_;
  std::vector<std::uint8_t> has_missing_;  ///< [n_cols], dense data only
  std::vector<std::uint32_t> feature_begin_;
  bool byte_codes_ = true;
  bool even_cells_ = false;
  BinCodes<std::uint8_t> bytes_;
  BinCodes<std::uint16_t> words_;
  BinEntries entries_;
  BundledCodes bundled_;
  UnusualCells unusual_;
};

}  // namespace kauri
