/// \file The rows of the nodes of a growing tree: lists of row numbers in device memory, one stretch per node.
///
/// There are two buffers with one number per row. A split writes the rows of its node from one buffer to the same
/// stretch of the other: rows that go left from the front on, rows that go right from the back. The order of the rows
/// in a stretch is not defined; sums of integers do not depend on it. The root has no list, because it has all rows.
/// Trees that grow together have their lists one behind the other.
///
/// Bytes per row of a node that is split: 4 in, a sector of 32 gathered for its code, 4 out. If the children of a node
/// will remain leaves, its rows need not be split (rows/walk_codes.h).
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
  /// 1: the rows lie in about descending order of their numbers.
  std::uint32_t descends = 0;

  /// Returns the stretch of the left child if n_left rows go left. They are written from the front on, the others from
  /// the back.
  KAURI_HD RowStretch Left(std::uint32_t n_left) const { return {begin, n_left, NextBuffer(), 0}; }
  KAURI_HD RowStretch Right(std::uint32_t n_left) const { return {begin + n_left, count - n_left, NextBuffer(), 1}; }
  /// Returns the buffer that the rows move to.
  KAURI_HD std::int32_t NextBuffer() const { return buffer == 0 ? 1 : 0; }
};

/// A node whose rows move to its children.
struct NodeSplit {
  RowStretch rows;
  std::uint32_t first_tile;  ///< among the tiles of all nodes per turn; at least NumTiles behind the node before
  FeaturePlace place;
  std::uint32_t n_bins;
  std::uint32_t first_right;
  std::uint32_t categories;    ///< offset of the categories' bits in words; kNoCategories: first_right decides
  std::uint32_t default_left;  ///< 1: missing values go left
};

/// The two buffers, in device memory.
struct RowPointers {
  std::uint32_t* first;
  std::uint32_t* second;

  KAURI_HD std::uint32_t* Of(std::int32_t buffer) const { return buffer == 0 ? first : second; }
};

constexpr std::uint32_t kNoCategories = 0xFFFFFFFFU;

/// Returns whether a code goes left. category_bits: for all splits; 1: the category goes right.
KAURI_HD bool GoesLeft(NodeSplit const& split, std::uint32_t code, std::uint32_t const* category_bits) {
  if (code >= split.n_bins) return split.default_left != 0;
  if (split.categories == kNoCategories) return code < split.first_right;
  return (category_bits[split.categories + code / 32] >> (code % 32) & 1U) == 0;
}

/// How the rows of a level are cut into tiles. One block of threads moves one tile.
///
/// Rows are moved in turns: in each turn every node moves an equal fraction of its rows, from the lowest on. The lists
/// hold rows in about the order of their numbers, so all nodes read the same region of the codes at a time. A read
/// fetches 64 bytes, two sectors. If one node does not use a sector, another node finds it in the second-level cache,
/// provided that both run at about the same time. So tiles are small: on an H100 the rows of 64 nodes, 10 M of 28
/// columns, take 199 us with tiles of 512 rows, 244 us with 1,024, and 308 us with 2,048 one node after the other. With
/// a copy by columns (column_copy.h), where the fetched bytes belong to 64 neighbouring rows, larger tiles are faster.
struct MovePlan {
  std::uint32_t tile_rows = kSmallTile;
  std::uint32_t n_turns = 1;

  static constexpr std::uint32_t kSmallTile = 512;
  static constexpr std::uint32_t kLargeTile = 2048;

  /// Returns the plan for n_rows rows of all nodes.
  static MovePlan For(std::uint32_t n_rows, std::uint32_t tile_rows) {
    constexpr std::uint32_t kTilesOfTurn = 1024;  // about the number that a device runs at a time
    return {tile_rows, std::max(std::uint32_t{1}, n_rows / (tile_rows * kTilesOfTurn))};
  }
  /// Returns the rows of one tile, summed over all turns.
  KAURI_HD std::uint32_t RowsOfTile() const { return tile_rows * n_turns; }
  /// Returns the number of tiles per turn for a node of n_rows rows.
  KAURI_HD std::uint32_t NumTiles(std::uint32_t n_rows) const {
    return static_cast<std::uint32_t>((std::uint64_t{n_rows} + RowsOfTile() - 1) / RowsOfTile());
  }
};

/// The lists of a tree. The first one shares memory with the rows' leaves, which are written when the lists are not
/// needed any more.
class RowBuffers {
 public:
  /// leaf_of_row: [n_rows], device.
  void Reset(CudaContext const& cuda, Span<std::int32_t> leaf_of_row);
  RowPointers Pointers() const { return {first_, second_.data()}; }

 private:
  std::uint32_t* first_ = nullptr;
  Buffer<std::uint32_t> second_;  ///< [n_rows]
};

/// Task of splitting several nodes, in device memory.
struct MoveTask {
  CodeView codes;
  Span<NodeSplit const> splits;
  std::uint32_t const* category_bits;  ///< 1: the category goes right
  std::uint32_t n_tiles;               ///< of all splits per turn
  MovePlan plan;
  RowPointers rows;
  std::uint32_t* n_left;  ///< (out) [2 * n_splits], counts of rows that went left and right; initially zero
};

void SplitNodes(CudaContext const& cuda, MoveTask const& task);

}  // namespace kauri::cuda
