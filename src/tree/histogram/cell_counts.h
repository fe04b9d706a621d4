/// \file The rows in the cells of a histogram, where min_data_in_leaf asks for them.
///
/// Behind the sums of all cells lie their counts, one for each, and last that of all rows of the node; each is a
/// FixedSum whose gradient is the count. So counts are made of pairs of 1 and 0 by what makes sums of gradients, and
/// derived for siblings, and summed over ranks, as sums are. They cost as much as the sums, and nothing when they are
/// not asked for.
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

  /// Whether the trees that follow count rows: of data of n_rows.
  void Set(bool is_on, std::int64_t n_rows) {
    is_on_ = is_on;
    pairs_.assign(is_on ? static_cast<std::size_t>(n_rows) : 0, {1, 0});
  }
  bool IsOn() const { return is_on_; }
  /// Of a histogram, in sums.
  std::size_t HistogramSize() const { return is_on_ ? 2 * NumCells() + 1 : NumCells(); }
  std::size_t NumCells() const { return halves_[1]; }
  /// Where the sums begin, and the counts if there are any.
  Span<std::size_t const> Halves() const { return {halves_.data(), is_on_ ? std::size_t{2} : std::size_t{1}}; }
  FixedSum* Of(FixedSum* histogram) const { return histogram + NumCells(); }
  FixedSum* AllOf(FixedSum* histogram) const { return histogram + 2 * NumCells(); }
  /// [n_rows]: what counts are made of.
  Span<FixedPair const> Pairs() const { return pairs_; }

 private:
  std::array<std::size_t, 2> halves_;
  bool is_on_ = false;
  std::vector<FixedPair> pairs_;
};

}  // namespace kauri
