/// \file Adds the gradient pairs of rows to a histogram: the hot loop of the histogram methods.
///
/// Dense data. Rows are taken kRowsPerGroup at a time. Their pairs and, unless the rows are consecutive, their bin
/// indices are first copied side by side, so that the cache misses of many rows overlap. Every bin index then costs one
/// 16-byte load, add and store at its cell; bin indices are extracted from 8-byte words. Wide data are divided into
/// blocks of columns whose histogram stays in the second-level cache.
/// Dense data in which most values lie in the most frequent bin of their feature (data/bins/sparse_bins.h). One
/// addition per listed cell. The sums of the most frequent bins are undefined until BinMatrix::FillMostFrequent derives
/// them. Sparse data. One addition per entry. Data with bundles (data/bins/feature_bundles.h), dense or sparse, are
/// treated as dense columns, one per bundle.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/gradient.h"
#include "kauri/span.h"
#include "tree/rows/route_rows.h"

namespace kauri {

/// Adds rows of one bin matrix to histograms. It is const and shared by threads.
class HistogramAdder {
 public:
  explicit HistogramAdder(BinMatrix const& bins);

  /// Consecutive columns of bin indices, in whole words, and their cells.
  struct Band {
    std::int64_t first_word = 0;
    std::int64_t last_word = 0;
    std::uint32_t first_cell = 0;
    std::uint32_t last_cell = 0;
  };
  /// Returns all columns as at most `n` bands, at least one. Threads may add different bands to the same histogram
  /// concurrently.
  std::vector<Band> Bands(std::int64_t n) const;
  Band All() const { return {0, n_words_, 0, column_begin_.back()}; }
  std::int64_t MaxBands() const { return std::max<std::int64_t>(1, n_words_); }

  /// Adds the pairs of the rows to histogram [n_cells], at least at the cells of `features` that lie in the band.
  /// Features are ascending. The band's cells of other features may or may not be added to.
  void Add(Span<FixedPair const> pairs, RowSlice slice, Span<std::uint32_t const> features, Band const& band,
           FixedSum* histogram) const;

 private:
  /// Columns whose bin indices are words [first_word, last_word) of a row.
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
  std::vector<std::uint32_t> column_begin_;  ///< [n_columns + 1]: first cell of each column of bin indices
  std::vector<std::uint64_t> byte_offsets_;  ///< [n_columns]: the same offsets in bytes
  std::int64_t n_words_ = 0;                 ///< words of bin indices per row; 0 for sparse data
  std::int64_t columns_per_word_ = 0;
  std::vector<Block> blocks_;
};

// Memory of histograms: fixed-size buffers that are borrowed and given back, and kept from tree to tree.

/// Buffers of `n` sums each, 64-byte aligned.
template <typename Sum>
class SumPool {
 public:
  explicit SumPool(std::size_t n) : bytes_((n * sizeof(Sum) / kLine + 1) * kLine) {}

  /// Returns a buffer with undefined contents. \throws std::bad_alloc.
  Sum* Borrow() {
    if (free_.empty()) {
      std::unique_ptr<Sum, Free> buffer(static_cast<Sum*>(::operator new(bytes_, kAlignment)));
      buffers_.push_back(std::move(buffer));
      free_.push_back(buffers_.back().get());
    }
    auto* const buffer = free_.back();
    free_.pop_back();
    return buffer;
  }
  void GiveBack(Sum* buffer) { free_.push_back(buffer); }
  std::size_t NumLent() const { return buffers_.size() - free_.size(); }
  std::size_t BufferBytes() const { return bytes_; }
  /// Takes back all borrowed buffers.
  void GiveBackAll() {
    free_.clear();
    for (auto const& buffer : buffers_) free_.push_back(buffer.get());
  }

 private:
  static constexpr std::size_t kLine = 64;
  static constexpr std::align_val_t kAlignment{kLine};
  struct Free {
    void operator()(Sum* buffer) const { ::operator delete(buffer, kAlignment); }
  };

  std::size_t bytes_;
  std::vector<std::unique_ptr<Sum, Free>> buffers_;
  std::vector<Sum*> free_;
};

/// One sum per cell (see data/bins/bin_matrix.h).
using HistogramPool = SumPool<FixedSum>;

}  // namespace kauri
