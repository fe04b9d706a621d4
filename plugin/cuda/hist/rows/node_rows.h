/// \file Which rows the nodes of a growing tree hold: lists of row numbers in device memory, one stretch a node.
///
/// Two buffers of a number for each row. A split writes the rows of its node from the one buffer to the same stretch of
/// the other: those that go left from the front on, those that go right from the back. So a stretch holds its rows in
/// no order that anything may depend on; sums of integers do not. The root has no list: its rows are all. Trees that
/// grow together have their lists one behind the other.
///
/// Bytes per row of a node that is split: 4 in, a sector of 32 gathered for its code, 4 out. Nodes whose children are
/// leaves for good need no split of their rows (rows/walk_codes.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/bins/row_codes.h"
#include "kauri/host_device.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// A stretch of one of the buffers.
struct RowStretch {
  std::uint32_t begin = 0;
  std::uint32_t count = 0;
  std::int32_t buffer = 0;  ///< -1: the root's, all rows in their order
  /// 1: in about the order of their numbers they lie the other way round.
  std::uint32_t descends = 0;

  /// Of the rows that go left, when so many do: they are put there from the front on, the others from the back.
  KAURI_HD RowStretch Left(std::uint32_t n_left) const { return {begin, n_left, NextBuffer(), 0}; }
  KAURI_HD RowStretch Right(std::uint32_t n_left) const { return {begin + n_left, count - n_left, NextBuffer(), 1}; }
  /// Where they go.
  KAURI_HD std::int32_t NextBuffer() const { return buffer == 0 ? 1 : 0; }
};

/// A node whose rows go to its children.
struct NodeSplit {
  RowStretch rows;
  std::uint32_t first_tile;  ///< of the tiles of all nodes in a turn, at least NumTiles behind the one before
  FeaturePlace place;
  std::uint32_t n_bins;
  std::uint32_t first_right;
  std::uint32_t categories;    ///< where its categories' bits begin, in words; kNoCategories: first_right holds
  std::uint32_t default_left;  ///< 1: the missing go left
};

/// The two buffers, device.
struct RowPointers {
  std::uint32_t* first;
  std::uint32_t* second;

  KAURI_HD std::uint32_t* Of(std::int32_t buffer) const { return buffer == 0 ? first : second; }
};

constexpr std::uint32_t kNoCategories = 0xFFFFFFFFU;

/// category_bits: of all splits, 1: goes right.
KAURI_HD bool GoesLeft(NodeSplit const& split, std::uint32_t code, std::uint32_t const* category_bits) {
  if (code >= split.n_bins) return split.default_left != 0;
  if (split.categories == kNoCategories) return code < split.first_right;
  return (category_bits[split.categories + code / 32] >> (code % 32) & 1U) == 0;
}

/// How the rows of a level are cut into tiles, which a block of threads moves each.
///
/// They are moved in turns: in each all nodes move as large a share of theirs, from the lowest on. The lists hold rows
/// in about the order of their numbers, so what the nodes read at a time lies in one part of the codes. Memory gives 64
/// bytes at a time, two sectors: the one that this node has no use for another node finds in the second-level cache, if
/// both are there at about the same time. So tiles are small: on an H100 the rows of 64 nodes, 10 M of 28 columns, take
/// 199 us by 512, 244 by 1,024 and 308 by 2,048 one node after the other; those of a copy by columns (column_copy.h),
/// whose neighbours are 64 rows, take the fewer the larger the tiles.
struct MovePlan {
  std::uint32_t tile_rows = kSmallTile;
  std::uint32_t n_turns = 1;

  static constexpr std::uint32_t kSmallTile = 512;
  static constexpr std::uint32_t kLargeTile = 2048;

  /// For so many rows of all nodes.
  static MovePlan For(std::uint32_t n_rows, std::uint32_t tile_rows) {
    constexpr std::uint32_t kTilesOfTurn = 1024;  // about as many as a device has under way
    return {tile_rows, std::max(std::uint32_t{1}, n_rows / (tile_rows * kTilesOfTurn))};
  }
  /// Of the tiles of one number in all turns.
  KAURI_HD std::uint32_t RowsOfTile() const { return tile_rows * n_turns; }
  /// Tiles of so many rows of a node in each turn.
  KAURI_HD std::uint32_t NumTiles(std::uint32_t n_rows) const {
    return static_cast<std::uint32_t>((std::uint64_t{n_rows} + RowsOfTile() - 1) / RowsOfTile());
  }
};

/// The lists of a tree. The first is where the rows get their leaves, when nobody reads lists any more.
class RowBuffers {
 public:
  /// leaf_of_row: [n_rows], device.
  void Reset(CudaContext const& cuda, Span<std::int32_t> leaf_of_row);
  RowPointers Pointers() const { return {first_, second_.data()}; }

 private:
  std::uint32_t* first_ = nullptr;
  Buffer<std::uint32_t> second_;  ///< [n_rows]
};

/// Splits of several nodes, device.
struct MoveTask {
  CodeView codes;
  Span<NodeSplit const> splits;
  std::uint32_t const* category_bits;  ///< 1: goes right
  std::uint32_t n_tiles;               ///< of all splits in a turn
  MovePlan plan;
  RowPointers rows;
  std::uint32_t* n_left;  ///< (out) [2 * n_splits] rows that went left, and right: zero before
};

void SplitNodes(CudaContext const& cuda, MoveTask const& task);

}  // namespace kauri::cuda
