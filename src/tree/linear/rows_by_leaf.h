/// \file Rows of a data set, grouped by leaf, in pieces of bounded length.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kauri/span.h"

namespace kauri {

/// Some rows of a leaf, as positions in RowsByLeaf.
struct LeafPiece {
  std::size_t leaf;
  std::int64_t begin;
  std::int64_t end;
};

class RowsByLeaf {
 public:
  /// n_rows: the number of rows that each leaf will have. Memory: 4 bytes per row.
  RowsByLeaf(Span<std::int64_t const> n_rows, std::int64_t rows_per_piece) {
    std::int64_t n_all = 0;
    for (std::size_t leaf = 0; leaf < n_rows.size(); ++leaf) {
      auto const end = n_all + n_rows[leaf];
      for (auto begin = n_all; begin < end; begin += rows_per_piece) {
        pieces_.push_back({leaf, begin, std::min(begin + rows_per_piece, end)});
      }
      next_.push_back(n_all);
      n_all = end;
    }
    rows_.resize(static_cast<std::size_t>(n_all));
  }

  /// Adds a row, whose number is below 2^32 as in every tree method. Each leaf gets its rows in ascending order.
  void Add(std::size_t leaf, std::int64_t row) {
    rows_[static_cast<std::size_t>(next_[leaf]++)] = static_cast<std::uint32_t>(row);
  }
  std::int64_t At(std::int64_t place) const { return std::int64_t{rows_[static_cast<std::size_t>(place)]}; }
  std::vector<LeafPiece> const& Pieces() const { return pieces_; }

 private:
  std::vector<std::uint32_t> rows_;
  std::vector<std::int64_t> next_;  ///< [n_leaves]: position of the leaf's next row
  std::vector<LeafPiece> pieces_;
};

}  // namespace kauri
