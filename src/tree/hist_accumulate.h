/// \file Adding the gradient pairs of rows to a histogram: the loop that a histogram method spends its time in.
///
/// Dense data. Rows are taken kRowsPerGroup at a time; their pairs and, unless they are consecutive, their codes are
/// copied side by side first, so that the cache misses of many rows overlap. Then every code costs one 16-byte load,
/// add and store at its cell; codes are taken out of 8-byte words. Wide data are cut into blocks of columns whose
/// histogram stays in the second-level cache.
/// Sparse data. One addition per entry.
/// Data with bundles (data/feature_bundles.h), dense or sparse, are taken as dense columns, one for each bundle.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bin_matrix.h"
#include "kauri/gradient.h"
#include "kauri/span.h"

namespace kauri {

/// Rows by number: rows[begin .. end), or begin .. end themselves when `rows` is nullptr.
struct RowSlice {
  std::uint32_t const* rows = nullptr;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Knows how to read one matrix; const and shared by threads.
class HistogramAdder {
 public:
  explicit HistogramAdder(BinMatrix const& bins);

  /// histogram [n_cells] += the pairs of the rows, at the cells of `features` at least (ascending; other features'
  /// cells may or may not be added to).
  void Add(Span<FixedPair const> pairs, RowSlice slice, Span<std::uint32_t const> features, FixedSum* histogram) const;

 private:
  /// Columns whose codes are words [first_word, last_word) of a row.
  struct Block {
    std::int64_t first_word;
    std::int64_t last_word;
    std::int64_t end_column;
  };

  template <typename Code>
  void MakeBlocks();
  template <typename Code>
  void AddDense(BinCodes<Code> const& codes, FixedPair const* pairs, RowSlice slice, FixedSum* histogram) const;
  template <typename Code>
  void AddFeatures(BinCodes<Code> const& codes, FixedPair const* pairs, RowSlice slice,
                   Span<std::uint32_t const> features, FixedSum* histogram) const;
  void AddSparse(FixedPair const* pairs, RowSlice slice, FixedSum* histogram) const;

  BinMatrix const* bins_;
  std::vector<std::uint32_t> column_begin_;  ///< [n_columns + 1]: first cells of the columns of codes
  std::vector<std::uint64_t> byte_offsets_;  ///< [n_columns]: the same in bytes
  std::vector<Block> blocks_;
};

}  // namespace kauri
