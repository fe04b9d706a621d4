/// \file Divides work of uneven sizes into tasks that are large enough for a thread.
///
/// Waking threads for a few microseconds of work costs more than the work, especially on a machine shared with other
/// users.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/threads/parallel_for.h"
#include "kauri/context.h"

namespace kauri {

/// Elements [begin, end) of an item.
struct Piece {
  std::int64_t item;
  std::int64_t begin;
  std::int64_t end;
};

/// Divides items 0 .. n_items - 1 of size_of(item) elements into pieces of at most `piece_size`, in order.
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

/// Calls fn(index) for each of n items, in parallel. Neighbours are bundled until their sizes reach `bundle_size`.
template <typename SizeOf, typename Fn>
void ForEachBundled(Context const& ctx, std::int64_t n, std::int64_t bundle_size, SizeOf&& size_of, Fn&& fn) {
  std::vector<std::int64_t> bundle_ptr{0};
  std::int64_t size = 0;
  for (std::int64_t index = 0; index < n; ++index) {
    size += size_of(index);
    if (size < bundle_size && index + 1 < n) continue;
    bundle_ptr.push_back(index + 1);
    size = 0;
  }
  ParallelFor(ctx, static_cast<std::int64_t>(bundle_ptr.size()) - 1, [&](std::int64_t bundle) {
    auto const end = bundle_ptr[bundle + 1];
    for (auto index = bundle_ptr[bundle]; index < end; ++index) fn(index);
  });
}

/// Calls fn(piece) for each piece, bundled.
template <typename Fn>
void ForEachPiece(Context const& ctx, std::vector<Piece> const& pieces, std::int64_t bundle_size, Fn&& fn) {
  auto const piece = [&](std::int64_t index) -> Piece const& { return pieces[index]; };
  ForEachBundled(
      ctx, static_cast<std::int64_t>(pieces.size()), bundle_size,
      [&](std::int64_t index) { return piece(index).end - piece(index).begin; },
      [&](std::int64_t index) { fn(piece(index)); });
}

}  // namespace kauri
