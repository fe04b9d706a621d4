/// \file Work of uneven sizes cut into pieces that are worth a task each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace kauri {

/// Elements [begin, end) of an item.
struct Piece {
  std::int64_t item;
  std::int64_t begin;
  std::int64_t end;
};

/// Cuts items 0 .. n_items - 1 of size_of(item) elements into pieces of at most `piece_size`, in order.
template <typename SizeOf>
std::vector<Piece> CutIntoPieces(std::int64_t n_items, std::int64_t piece_size, SizeOf&& size_of) {
  std::vector<Piece> pieces;
  for (std::int64_t item = 0; item < n_items; ++item) {
    std::int64_t const size = size_of(item);
    for (std::int64_t begin = 0; begin < size; begin += piece_size) {
      pieces.push_back({item, begin, std::min(begin + piece_size, size)});
    }
  }
  return pieces;
}

}  // namespace kauri
