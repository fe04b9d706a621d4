/// \file Adding the gradient pairs of rows to a histogram: the loop that a histogram method spends its time in.
///
/// Dense data. Rows are taken kRowsPerGroup at a time; their pairs and, unless they are consecutive, their codes are
/// copied side by side first, so that the cache misses of many rows overlap. Then every code costs one 16-byte load,
/// add and store at its cell; codes are taken out of 8-byte words. Wide data are cut into blocks of columns whose
/// histogram stays in the second-level cache.
/// Dense data of which most codes are usual ones (data/bins/unusual_cells.h). One addition per listed cell; the sums of
/// usual cells mean nothing until BinMatrix::FillUsual derives them.
/// Sparse data. One addition per entry.
/// Data with bundles (data/bins/feature_bundles.h), dense or sparse, are taken as dense columns, one for each bundle.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/gradient.h"
#include "kauri/span.h"
#include "tree/rows/row_slice.h"

namespace kauri {

/// Knows how to read one matrix; const and shared by threads.
class HistogramAdder {
 public:
  explicit HistogramAdder(BinMatrix const& bins);

  /// Consecutive columns of codes, in whole words, and their cells.
  struct Band {
    std::int64_t first_word = 0;
    std::int64_t last_word = 0;
    std::uint32_t first_cell = 0;
    std::uint32_t last_cell = 0;
  };
  /// All columns in at most `n` bands, at least one, which threads may add to one histogram at a time.
  std::vector<Band> Bands(std::int64_t n) const;
  Band All() const { return {0, n_words_, 0, column_begin_.back()}; }
  std::int64_t MaxBands() const { return std::max<std::int64_t>(1, n_words_); }

  /// histogram [n_cells] += the pairs of the rows, at the cells of `features` that lie in the band at least (ascending;
  /// other features' cells of the band may or may not be added to).
  void Add(Span<FixedPair const> pairs, RowSlice slice, Span<std::uint32_t const> features, Band const& band,
           FixedSum* histogram) const;

 private:
  /// Columns whose codes are words [first_word, last_word) of a row.
  struct Block {
    std::int64_t first_word;
    std::int64_t last_word;
    std::int64_t end_column;
  };

  template <typename Code>
  void MakeBlocks();
  Span<std::uint32_t const> FeaturesIn(Band const& band, Span<std::uint32_t const> features) const;
  template <typename Code>
  void AddDense(BinCodes<Code> const& codes, FixedPair const* pairs, RowSlice slice, Band const& band,
                FixedSum* histogram) const;
  template <typename Code>
  void AddFeatures(BinCodes<Code> const& codes, FixedPair const* pairs, RowSlice slice,
                   Span<std::uint32_t const> features, FixedSum* histogram) const;

  BinMatrix const* bins_;
  std::vector<std::uint32_t> column_begin_;  ///< [n_columns + 1]: first cells of the columns of codes
  std::vector<std::uint64_t> byte_offsets_;  ///< [n_columns]: the same in bytes
  std::int64_t n_words_ = 0;                 ///< of codes per row; 0: entries instead
  std::int64_t columns_per_word_ = 0;
  std::vector<Block> blocks_;
};

}  // namespace kauri
