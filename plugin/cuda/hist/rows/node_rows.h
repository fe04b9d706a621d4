/// \file Which rows the nodes of a growing tree hold: lists of row numbers in device memory, one stretch a node.
///
/// Two buffers of a number for each row. A split writes the rows of its node from the one buffer to the same stretch of
/// the other: those that go left from the front on, those that go right from the back. So a stretch holds its rows in
/// no order that anything may depend on; sums of integers do not. The root has no list: its rows are all.
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

  /// Of the rows that go left, when so many do.
  KAURI_HD RowStretch Left(std::uint32_t n_left) const { return {begin, n_left, NextBuffer(), descends}; }
  KAURI_HD RowStretch Right(std::uint32_t n_left) const {
    return {begin + n_left, count - n_left, NextBuffer(), 1 - descends};
  }
  /// Where they go.
  KAURI_HD std::int32_t NextBuffer() const { return buffer == 0 ? 1 : 0; }
};

/// A node whose rows go to its children.
struct NodeSplit {
  RowStretch rows;
  std::uint32_t first_tile;  ///< of the tiles of all nodes in a turn, at least RowTiles behind the one before
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

/// Rows that one block of threads moves at a time.
constexpr std::uint32_t kTileRows = 1024;

/// Rows of a level are moved in turns: in each all nodes move as large a share of theirs, from the lowest on. The lists
/// hold rows in about the order of their numbers, so what the nodes read at a time lies in one part of the codes.
/// Memory gives 64 bytes at a time, two sectors: the one that this node has no use for another node finds in the
/// second-level cache.
inline std::uint32_t MoveTurns(std::uint32_t n_rows) {
  constexpr std::uint32_t kTilesOfTurn = 1024;  // about as many as a device has under way
  return std::max(std::uint32_t{1}, n_rows / (kTileRows * kTilesOfTurn));
}
/// Tiles of so many rows of a node in each of n_turns.
KAURI_HD std::uint32_t RowTiles(std::uint32_t n_rows, std::uint32_t n_turns) {
  std::uint64_t const of_tile = std::uint64_t{kTileRows} * n_turns;
  return static_cast<std::uint32_t>((n_rows + of_tile - 1) / of_tile);
}

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
  std::uint32_t n_turns;               ///< MoveTurns of all rows
  RowPointers rows;
  std::uint32_t* n_left;  ///< (out) [2 * n_splits] rows that went left, and right: zero before
};

void SplitNodes(CudaContext const& cuda, MoveTask const& task);

}  // namespace kauri::cuda
