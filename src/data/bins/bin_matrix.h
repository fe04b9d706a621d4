/// \file The training data as small integers: the bin of each value within its feature.
///
/// Vocabulary. A code is a bin index within its feature. A feature with missing values in a dense matrix has one
/// additional code, its last. A cell is a code of a feature: cells are numbered feature by feature, and a histogram has
/// one sum per cell. A feature's usual code is its most frequent bin.
///
/// Dense data are stored twice: row by row for histograms, and column by column for the partition of rows. Sparse data
/// are stored once, as the ascending cells of each row's entries. Codes take one byte if all fit, else two. A page of a
/// larger table (data/bins/bin_store.h) has no copy by columns.
/// A column with more than kMaxShortCodes categories does not fit into codes of two bytes. Its matrix has the form of
/// sparse data, whose cells have four bytes, whatever the storage of the rows.
/// If most codes are the usual ones, histograms read lists of the other codes (data/bins/sparse_bins.h). If
/// neighbouring features exclude each other (data/bins/feature_bundles.h), histograms read the codes of their bundles;
/// sparse data are then partitioned by these codes, too.
/// The ranks of a group make the same calls, and their matrices share one layout. Cuts, cells, bundles, usual codes and
/// the decision for lists are based on the rows of all ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bins/feature_bundles.h"
#include "data/bins/sparse_bins.h"
#include "data/sketch/quantile_sketch.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/gradient.h"

namespace kauri {

/// Result of FindCode for a missing entry of a sparse matrix, and of MissingCode for a feature without a missing code.
constexpr std::uint32_t kNoCode = 0xFFFFFFFFU;

/// Placeholder for an absent entry where sparse codes are written out; no bin has this code.
constexpr std::uint16_t kAbsentCode = 0xFFFFU;

/// Maximum number of bins of a feature that two-byte codes can number, beside one code for missing or absent values.
constexpr std::uint32_t kMaxShortCodes = 65535;

/// Distance between the first cells of neighbouring features if all are the same: 256 codes and a cache line.
constexpr std::uint32_t kEvenCells = 260;

/// Dense codes of one width. Both arrays end in kPadding codes, so that a whole word may be read at any code.
template <typename Code>
struct BinCodes {
  static constexpr std::int64_t kPerWord = static_cast<std::int64_t>(sizeof(std::uint64_t) / sizeof(Code));
  static constexpr std::int64_t kPadding = kPerWord;

  std::int64_t row_stride = 0;  ///< n_cols rounded up to whole words
  std::vector<Code> rows;       ///< [n_rows, row_stride]
  std::vector<Code> columns;    ///< [n_cols, n_rows]
};

/// Codes of bundles, in bytes; empty if bundles would not pay off.
struct BundledCodes {
  std::vector<FeatureBundle> bundles;
  std::vector<std::uint32_t> bundle_of;      ///< [n_cols]
  std::vector<std::uint32_t> most_frequent;  ///< [n_cols] usual codes, kNoMostFrequent outside bundles; dense data only
  BinCodes<std::uint8_t> codes;              ///< one column per bundle; by columns for sparse data only
};

/// Entries of sparse data. Bundled data have no copy by columns.
struct BinEntries {
  std::vector<std::int64_t> row_ptr;  ///< [n_rows + 1]
  std::vector<std::uint32_t> cells;   ///< [n_entries], ascending within a row

  std::vector<std::int64_t> column_ptr;     ///< [n_cols + 1]
  std::vector<std::uint32_t> column_rows;   ///< [n_entries], ascending within a column
  std::vector<std::uint16_t> column_codes;  ///< [n_entries]; meaningless if NumBins > kMaxShortCodes
};

/// The entries of one column.
struct ColumnEntries {
  std::uint32_t const* rows;
  std::uint16_t const* codes;
  std::int64_t n;
};

/// Properties of the rows that must be known before the first of them gets its codes.
struct BinShape {
  std::int64_t n_rows = 0;
  bool is_dense = true;
  std::vector<std::uint8_t> has_missing;  ///< [n_cols]: 1 if some row lacks the feature; dense data only
  bool by_column = true;                  ///< true to make the copy by columns, or bundles
};

/// A matrix of bins. It is immutable once it is filled.
class BinMatrix {
 public:
  BinMatrix(Context const& ctx, DataMatrix const& data, QuantileCuts cuts);
  /// Reserves memory for shape.n_rows rows, which Append fills part by part, or which are read into it.
  BinMatrix(Context const& ctx, QuantileCuts cuts, BinShape const& shape);
  /// Computes the codes of the next rows. Finish must follow the last call. \throws Error(kData) for more rows than
  /// announced, for a missing value in a feature that was declared to have none, and for a category that the cuts lack.
  void Append(Context const& ctx, DataView const& rows);
  /// Checks that all rows were appended, and builds the sorted columns, bundles or lists. \throws Error(kData).
  void Finish(Context const& ctx);
  /// Makes room for n_rows rows, and for n_entries entries of sparse data, whose codes the caller writes.
  void Resize(std::int64_t n_rows, std::int64_t n_entries);
  /// Builds the copy by columns, if wanted, from codes that were written by rows. Then does what Finish does.
  void FinishCodes(Context const& ctx);
  /// Returns the codes row by row, or the cells of sparse data, as bytes to read or write.
  Span<char> MutableCodes();
  /// Returns the row pointers, [n_rows + 1]; sparse data only.
  Span<std::int64_t> MutableRowPtr() { return entries_.row_ptr; }

  std::int64_t NumRows() const { return n_rows_; }
  std::int64_t NumCols() const { return cuts_.NumCols(); }
  std::uint32_t NumCells() const { return feature_begin_.back(); }
  QuantileCuts const& Cuts() const { return cuts_; }
  /// Returns the first cell of each feature and the total, [n_cols + 1]: feature f has the cells from [f] to [f + 1].
  std::vector<std::uint32_t> const& FeatureBegin() const { return feature_begin_; }
  /// True if codes are bytes and feature f begins at cell f * kEvenCells.
  bool HasEvenCells() const { return even_cells_; }
  std::uint32_t NumBins(std::size_t feature) const { return cuts_.NumBins(feature); }
  /// Returns the code of missing values of this feature, or kNoCode.
  std::uint32_t MissingCode(std::size_t feature) const {
    return !has_missing_.empty() && has_missing_[feature] != 0 ? NumBins(feature) : kNoCode;
  }

  bool IsDense() const { return is_dense_; }
  BinShape Shape() const { return {n_rows_, is_dense_, has_missing_, by_column_}; }
  /// Returns whether the matrix has a copy by columns.
  bool HasColumns() const { return by_column_; }
  bool HasByteCodes() const { return byte_codes_; }
  /// Returns the size in bytes of the codes of a row of dense data.
  std::int64_t CodeBytesOfRow() const { return byte_codes_ ? bytes_.row_stride : words_.row_stride * 2; }
  BinCodes<std::uint8_t> const& Bytes() const { return bytes_; }
  BinCodes<std::uint16_t> const& Words() const { return words_; }
  BinEntries const& Entries() const { return entries_; }
  bool HasBundles() const { return !bundled_.bundles.empty(); }
  BundledCodes const& Bundled() const { return bundled_; }
  /// Returns the lists of unusual cells for histograms; may be empty.
  SparseBins const& Sparse() const { return sparse_; }
  /// Returns the offset to subtract from a bundle's code to get the feature's own code.
  std::uint32_t BundleOffset(std::size_t feature) const {
    return feature_begin_[feature] - bundled_.bundles[bundled_.bundle_of[feature]].first_cell;
  }
  /// Completes a histogram that was made from bundles or lists, for features [first, last): derives the sums of the
  /// usual cells. total: the sum over all rows of the histogram.
  void FillMostFrequent(std::uint32_t first, std::uint32_t last, FixedSum total, FixedSum* histogram) const;
  /// Returns the entries of a column; sparse data without bundles only.
  ColumnEntries EntriesOf(std::size_t feature) const {
    auto const begin = entries_.column_ptr[feature];
    return {entries_.column_rows.data() + begin, entries_.column_codes.data() + begin,
            entries_.column_ptr[feature + 1] - begin};
  }
  /// Returns a checksum of all properties that define the meaning of a histogram's cells, including which are usual.
  std::uint32_t LayoutDigest() const;
  /// Returns the memory of cuts and codes in bytes.
  std::int64_t BytesHeld() const;
  /// Returns the number of values that are not missing.
  std::int64_t CountEntries(Context const& ctx) const;
  /// Returns the code of a table cell, or kNoCode for an absent entry of sparse data. Costs a binary search for sparse
  /// data without bundles.
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
  SparseBins sparse_;
};

}  // namespace kauri
