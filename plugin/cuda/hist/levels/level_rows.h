/// \file The arrays of a tree that the device decides level by level, so that no level waits for the host, and how rows
/// follow the decisions.
///
/// The host queues all levels at once. One small kernel (decide_level.h) runs between the split search of a level and
/// the beginning of the next one. It decides which splits are made, which children may be split in turn, and whose rows
/// are added up. Its arrays have a place for every node of the complete tree, whether or not the node exists. So the
/// host knows where a level is before its contents are known: node i of a level has children 2 i and 2 i + 1 in the
/// next. Nodes that do not exist have no rows, and cost blocks that end at once.
///
/// Several trees, such as the classes of a round, may grow together. Each has its own root with a list of all rows, and
/// the nodes of the next tree follow its own in every level.
///
/// Tiles of rows (MovePlan) are numbered without counting the tiles of other nodes: with tiles of t rows, node i, whose
/// rows begin at row b of the lists, has tiles from b / t + i on. Stretches of a level lie in the order of their nodes.
/// So no two nodes share a tile, and a level has at most one tile a node more than its rows need.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/bins/row_codes.h"
#include "cuda/hist/histogram/add_rows.h"
#include "cuda/hist/rows/growing_rows.h"
#include "cuda/hist/rows/node_rows.h"
#include "kauri/gradient.h"
#include "kauri/host_device.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// Places of a level's nodes, and of the pairs of siblings whose histograms it requests, in the whole tree.
struct LevelPlace {
  int depth;
  std::uint32_t n_trees = 1;

  KAURI_HD std::uint32_t NodesOfTree() const { return 1U << static_cast<unsigned>(depth); }
  KAURI_HD std::uint32_t NumNodes() const { return n_trees * NodesOfTree(); }
  KAURI_HD std::uint32_t FirstNode() const { return NumNodes() - n_trees; }
  KAURI_HD std::uint32_t PairsOfTree() const { return depth == 0 ? 1 : NodesOfTree() / 2; }
  KAURI_HD std::uint32_t NumPairs() const { return n_trees * PairsOfTree(); }
  KAURI_HD std::uint32_t FirstPair() const { return depth == 0 ? 0 : NumPairs(); }
  /// place: a node's place among the nodes of all levels.
  KAURI_HD std::uint32_t LeftOf(std::uint32_t place) const { return 2 * place + n_trees; }
  KAURI_HD std::uint32_t RightOf(std::uint32_t place) const { return LeftOf(place) + 1; }
  KAURI_HD std::uint32_t PairBelow(std::uint32_t place) const { return place + n_trees; }
  /// place: not a root's.
  KAURI_HD std::uint32_t ParentOf(std::uint32_t place) const { return (place - n_trees) / 2; }
  KAURI_HD bool IsLeft(std::uint32_t place) const { return (place - n_trees) % 2 == 0; }
};

/// Decision about a node, read by all devices that have rows of it.
struct NodeDecision {
  static constexpr std::uint32_t kLeaf = 0xFFFFFFFFU;

  std::uint32_t feature = kLeaf;  ///< kLeaf if the node is not split
  std::uint32_t first_right = 0;
  std::uint32_t default_left = 0;  ///< 1: missing values go left
  std::uint32_t opens_left = 0;    ///< 1: the left child may be split in turn
  std::uint32_t opens_right = 0;
  std::uint32_t adds_left = 0;  ///< 1: the rows of the left child are added up, and not the right child's

  KAURI_HD bool Opens() const { return opens_left != 0 || opens_right != 0; }
};

/// The rows of a tree on one device, in device memory. Not owning.
struct LevelRows {
  RowStretch* nodes;           ///< [n_nodes]: stretches of the nodes' rows
  NodeSplit* splits;           ///< [n_nodes]: how the rows move to the children
  std::uint32_t* n_left;       ///< [2 * n_nodes]: MoveTask::n_left
  HistogramNode* added;        ///< [n_pairs]: AddTask::nodes
  FeaturePlace const* places;  ///< [n_cols]: places of the codes by which rows are moved
  FeatureCodes const* features;
  std::uint32_t first_row;  ///< first row of the first root, in the lists
  MovePlan plan;            ///< plan of the moves
};

/// Task of a device that follows the decisions of another one.
struct FollowTask {
  LevelRows rows;
  NodeDecision const* decisions;  ///< [n_nodes], readable by the device
  FixedSum* sums;  ///< [n_pairs of the next level, n_sums]: the histograms of the next level, side by side
  std::size_t n_sums;
};

/// Sets the rows of the root, which begin at `rows.first_row`. histogram: receives the first sum.
void BeginLevels(CudaContext const& cuda, LevelRows const& rows, RowStretch root, FixedSum* histogram);
/// Applies the decisions of the level at this depth: its splits, and what the next level adds up.
void FollowLevel(CudaContext const& cuda, FollowTask const& task, int depth);

/// A level whose rows stay in their order (level_in_place.h).
struct InPlaceTask {
  DeviceBins const* bins;
  LevelRows rows;
  LevelPlace parents;         ///< the level whose splits are applied
  std::uint8_t* node_of_row;  ///< (in, out) [n_rows, rounded up to a multiple of 8]; not read at the root
  std::uint32_t n_rows;
  /// Rows of a block between two flushes of its sums: sums of pairs of two bytes do not overflow. Tests have fewer, a
  /// multiple of 8.
  std::uint32_t rows_of_flush = std::uint32_t{1} << 24U;
};

/// Memory for the rows of such a tree on one device; reused from tree to tree.
class RowsByLevel {
 public:
  /// Begins new trees of up to below.depth levels on rows that were Reset. `bins` and `rows` must outlive the trees.
  /// small: the pairs in two bytes, if the trees have them; nullptr: none.
  void Begin(CudaContext const& cuda, LevelPlace const& below, DeviceBins const& bins, GrowingRowsOnDevice const& rows,
             SmallPair const* small);
  LevelRows const& Arrays() const { return arrays_; }
  /// Moves the rows of the level at this depth to the children of their nodes, once the level is decided. Leaves them
  /// in place if AddUp will take them from there.
  void Move(CudaContext const& cuda, int depth) const;
  /// Returns the nodes that the level at this depth adds up. The caller sets plan, pairs and the rest of the task.
  AddTask Added(int depth) const;
  /// Adds up the nodes of the level at this depth, after Move. plan: as of AddRows.
  void AddUp(CudaContext const& cuda, AddTask const& added, int depth, Buffer<PlannedRows>* plan) const;

 private:
  /// Returns the number of rows of all trees together.
  std::uint32_t NumRows() const { return n_trees_ * rows_->Root().count; }
  /// Returns the deepest level whose rows stay in place; 0 if all are moved.
  int LastInPlace(CudaContext const& cuda, int n_levels, SmallPair const* small) const;
  InPlaceTask InPlace(int depth) const;

  DeviceBins const* bins_ = nullptr;
  GrowingRowsOnDevice const* rows_ = nullptr;
  std::uint32_t n_trees_ = 1;
  LevelRows arrays_{};
  Buffer<RowStretch> nodes_;
  Buffer<NodeSplit> splits_;
  Buffer<std::uint32_t> n_left_;
  Buffer<HistogramNode> added_;
  int last_in_place_ = 0;
  Buffer<std::uint8_t> node_of_row_;  ///< see level_in_place.h; empty until a tree has such levels
  Buffer<std::uint32_t> listed_;      ///< scratch of ListRows
};

}  // namespace kauri::cuda
