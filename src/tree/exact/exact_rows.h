/// \file The rows of a growing tree in node order.
///
/// Vocabulary. Every used row has a position. The rows of a node have consecutive positions, so everything gathered for
/// a node lies in the node's part of the arrays, which halves at each level. A split reorders the positions of its node
/// (left rows first, in the same order). The entries of the columns carry positions, not rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/threads/parallel_for.h"
#include "data/sorted_columns.h"
#include "kauri/context.h"
#include "kauri/gradient.h"
#include "kauri/span.h"
#include "kauri/tree.h"
#include "tree/exact/exact_codes.h"

namespace kauri {

/// New position of a row that is no longer in any node.
constexpr std::uint32_t kDropped = 0xFFFFFFFFU;

/// Positions [begin, end).
struct PlaceRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::int64_t Size() const { return static_cast<std::int64_t>(end) - begin; }
};

/// A node to split.
struct RowSplit {
  PlaceRange range;
  Span<ColumnEntry const> entries;  ///< entries of the split's feature in this node; those that go left come first
  std::int64_t n_left = 0;          ///< the first n_left entries go left
  bool default_left = false;
  std::int32_t left_leaf = kNoNode;  ///< tree id of a finished child; kNoNode if it may be split
  std::int32_t right_leaf = kNoNode;
  std::uint32_t middle = 0;                    ///< out: first position of the right child
  std::vector<ColumnEntry> reordered = {};     ///< storage of `entries` for a categorical split
  CodedColumn const* coded = nullptr;          ///< the split's feature if it is coded; `entries` is then empty
  std::vector<std::uint8_t> off_default = {};  ///< [codes]: 1 if rows of this code do not go to the default side
};

/// A node that becomes a leaf.
struct FinishedRows {
  PlaceRange range;
  std::int32_t leaf;
};

class RowOrder {
 public:
  /// Returns to the root. Positions equal rows if all are sampled. Otherwise they number the sampled rows in order, and
  /// NewPositions() maps rows.
  void Start(Context const& ctx, Span<FixedPair const> gradients, Span<std::uint8_t const> sampled);
  std::uint32_t NumUsed() const { return n_used_; }
  /// Returns the row at a position.
  std::uint32_t RowAt(std::uint32_t position) const { return row_of_[position]; }
  /// Returns the rows of the positions; nullptr if each row is its own position.
  std::uint32_t const* Rows() const { return is_identity_ ? nullptr : row_of_.data(); }
  /// Returns the gradient pairs in node order, by position.
  FixedPair const* Pairs() const { return pairs_; }
  /// Returns the new positions, or kDropped, by position before the last Split or Start.
  std::uint32_t const* NewPositions() const { return new_position_.data(); }

  /// Reorders the rows of the nodes. Rows of finished children are dropped and get their leaf in leaf_of_row. codes:
  /// columns of the splits with a coded column.
  void Split(Context const& ctx, ExactCodes const& codes, Span<RowSplit> splits, Span<std::int32_t> leaf_of_row);
  void Finish(Context const& ctx, Span<FinishedRows const> nodes, Span<std::int32_t> leaf_of_row) const;

 private:
  /// A range of a split's positions and the new positions of its left and right rows.
  struct Stretch;

  void MarkOffDefault(Context const& ctx, ExactCodes const& codes, Span<RowSplit const> splits);
  std::vector<Stretch> LayOut(Context const& ctx, Span<RowSplit> splits) const;
  void Move(Stretch const& stretch, RowSplit const& split, Span<std::int32_t> leaf_of_row);

  std::uint32_t n_used_ = 0;
  bool is_identity_ = false;
  FixedPair const* pairs_ = nullptr;
  std::vector<std::uint32_t> row_of_;  // [positions]
  std::vector<std::uint32_t> next_row_of_;
  std::vector<FixedPair> own_pairs_;  // [positions]
  std::vector<FixedPair> next_pairs_;
  std::vector<std::uint32_t> new_position_;
  std::vector<std::uint8_t> off_default_;  // [positions]: 1 if not on the default side; all 0 between splits
};

// Divides work of uneven sizes into tasks that are large enough for a thread.
//
// Waking threads for a few microseconds of work costs more than the work, especially on a machine shared with other
// users.

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
