/// \file Row counts of the cells of a histogram, kept if min_data_in_leaf needs them.
///
/// The counts follow the sums of all cells, one count per cell; the last value is the row count of the node. Each count
/// is a FixedSum whose gradient is the count. Counts are therefore built from pairs (1, 0) by the code that adds
/// gradients, and are subtracted for siblings and summed over ranks like sums. They cost as much as the sums, and
/// nothing if they are not needed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kauri/gradient.h"
#include "kauri/span.h"

namespace kauri {

class CellCounts {
 public:
  explicit CellCounts(std::uint32_t n_cells) : halves_{0, n_cells} {}

  /// Sets whether the following trees count rows. n_rows: rows of the data.
  void Set(bool is_on, std::int64_t n_rows) {
    is_on_ = is_on;
    pairs_.assign(is_on ? static_cast<std::size_t>(n_rows) : 0, {1, 0});
  }
  bool IsOn() const { return is_on_; }
  /// Returns the size of a histogram in sums.
  std::size_t HistogramSize() const { return is_on_ ? 2 * NumCells() + 1 : NumCells(); }
  std::size_t NumCells() const { return halves_[1]; }
  /// Returns the offset of the sums and, if rows are counted, the offset of the counts.
  Span<std::size_t const> Halves() const { return {halves_.data(), is_on_ ? std::size_t{2} : std::size_t{1}}; }
  FixedSum* Of(FixedSum* histogram) const { return histogram + NumCells(); }
  FixedSum* AllOf(FixedSum* histogram) const { return histogram + 2 * NumCells(); }
  /// Returns the pairs that counts are added up from, [n_rows].
  Span<FixedPair const> Pairs() const { return pairs_; }

 private:
  std::array<std::size_t, 2> halves_;
  bool is_on_ = false;
  std::vector<FixedPair> pairs_;
};

}  // namespace kauri
