/// \file A tree that the device decides level by level, so that no level waits for the host: what a level works on, and
/// how rows follow what was decided.
///
/// The host asks for all levels at once. Between the search for the splits of a level and what the next one begins with
/// stands one small kernel (decide_level.h): which splits are made, which children may be split in their turn, and
/// whose rows are added up. Its arrays have a place for every node of the complete tree, there or not, so that the host
/// knows where a level is before anybody knows what it holds: node i of a level has children 2 i and 2 i + 1 in the
/// next. Nodes that are not there have no rows, and cost blocks that end at once.
///
/// Several trees, as the classes of a round have, may grow together: each has a root of its own, with a list of all
/// rows, and the next one's nodes follow its own in every level.
///
/// Tiles of rows (MovePlan) are numbered without counting those of other nodes: with tiles of t rows in all turns,
/// node i, whose rows begin at row b of the lists, has tiles from b / t + i on. Stretches of a level lie in the order
/// of their nodes, so no two nodes share a tile, and a level has at most a tile a node more than its rows need.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/bins/row_codes.h"
#include "cuda/hist/histogram/add_rows.h"
#include "cuda/hist/rows/node_rows.h"
#include "kauri/gradient.h"
#include "kauri/host_device.h"

namespace kauri::cuda {

/// Where a level has its nodes, and the pairs of siblings whose histograms it asks for, among those of the tree.
struct LevelPlace {
  int depth;
  std::uint32_t n_trees = 1;

  KAURI_HD std::uint32_t NodesOfTree() const { return 1U << static_cast<unsigned>(depth); }
  KAURI_HD std::uint32_t NumNodes() const { return n_trees * NodesOfTree(); }
  KAURI_HD std::uint32_t FirstNode() const { return NumNodes() - n_trees; }
  KAURI_HD std::uint32_t PairsOfTree() const { return depth == 0 ? 1 : NodesOfTree() / 2; }
  KAURI_HD std::uint32_t NumPairs() const { return n_trees * PairsOfTree(); }
  KAURI_HD std::uint32_t FirstPair() const { return depth == 0 ? 0 : NumPairs(); }
  /// Of the node at this place among those of all levels.
  KAURI_HD std::uint32_t LeftOf(std::uint32_t place) const { return 2 * place + n_trees; }
  KAURI_HD std::uint32_t RightOf(std::uint32_t place) const { return LeftOf(place) + 1; }
  KAURI_HD std::uint32_t PairBelow(std::uint32_t place) const { return place + n_trees; }
  /// Of a node that is no root.
  KAURI_HD std::uint32_t ParentOf(std::uint32_t place) const { return (place - n_trees) / 2; }
  KAURI_HD bool IsLeft(std::uint32_t place) const { return (place - n_trees) % 2 == 0; }
};

/// What became of a node, as all devices that have rows of it must know.
struct NodeDecision {
  static constexpr std::uint32_t kLeaf = 0xFFFFFFFFU;

  std::uint32_t feature = kLeaf;  ///< kLeaf: it is not split
  std::uint32_t first_right = 0;
  std::uint32_t default_left = 0;  ///< 1: the missing go left
  std::uint32_t opens_left = 0;    ///< 1: the left child may be split in its turn
  std::uint32_t opens_right = 0;
  std::uint32_t adds_left = 0;  ///< 1: of two children it is the left one whose rows are added up

  KAURI_HD bool Opens() const { return opens_left != 0 || opens_right != 0; }
};

/// The rows of a tree on one device, in device memory. Not owning.
struct LevelRows {
  RowStretch* nodes;           ///< [n_nodes]: where their rows are
  NodeSplit* splits;           ///< [n_nodes]: how they leave
  std::uint32_t* n_left;       ///< [2 * n_nodes]: MoveTask::n_left
  HistogramNode* added;        ///< [n_pairs]: AddTask::nodes
  FeaturePlace const* places;  ///< [n_cols]: of the codes that rows are moved by
  FeatureCodes const* features;
  std::uint32_t first_row;  ///< of the first root's, in the lists
  MovePlan plan;            ///< by which they are moved
};

/// How a device other than the one that decides follows.
struct FollowTask {
  LevelRows rows;
  NodeDecision const* decisions;  ///< [n_nodes], where the device can read them
  FixedSum* sums;                 ///< [n_pairs of the next level, n_sums]: its histograms, side by side
  std::size_t n_sums;
};

/// The rows of the root: `rows.first_row` is where they begin. histogram: of what is added up first.
void BeginLevels(CudaContext const& cuda, LevelRows const& rows, RowStretch root, FixedSum* histogram);
/// Once the level at this depth is decided: its splits, and what the next level adds up.
void FollowLevel(CudaContext const& cuda, FollowTask const& task, int depth);

}  // namespace kauri::cuda
