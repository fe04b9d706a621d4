/// \file The rows of a growing tree: the stretch of the row lists (node_rows.h) that each node has.
///
/// Splits stay pending until the next request goes to the device; its answer says how many rows went left. Some rows
/// are in no list: rows that were not sampled, and rows of children that will remain leaves. A traversal of the
/// finished tree finds the leaves of all rows (walk_codes.h).
///
/// Splits may be made ahead of their turn ("foreseen"): rows move to children that the tree does not have yet, and to
/// the children of these. The tree takes over the rows when it makes the nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/rows/column_copy.h"
#include "cuda/hist/rows/node_rows.h"
#include "cuda/hist/rows/walk_codes.h"
#include "kauri/span.h"
#include "tree/rows/code_split.h"

namespace kauri::cuda {

/// First number of nodes that are split off ahead of their turn; no tree has this many nodes.
constexpr std::int32_t kForeseen = std::int32_t{1} << 30U;

/// Place of a node's rows, once the pending splits are made.
struct NodeSource {
  RowStretch rows;        ///< the node's own rows, or its parent's if `split` is not -1
  std::int32_t split;     ///< index of the pending split that makes the node, or -1
  std::uint32_t is_left;  ///< 1: it is the left child
};

/// How rows are moved, and the number of tiles of all nodes per turn.
struct PlannedTiles {
  MovePlan plan;
  std::uint32_t n_tiles;
};

class GrowingRowsOnDevice {
 public:
  GrowingRowsOnDevice() = default;
  /// Takes the first n_rows of `bins` for the following trees. bins: must outlive them.
  void TakeBins(CudaContext const& cuda, DeviceBins const& bins, std::int64_t n_rows);
  /// Restricts the rows to the first n_rows.
  void TakeFirst(std::int64_t n_rows) { n_rows_ = static_cast<std::uint32_t>(n_rows); }

  /// Begins a tree whose root has all rows, or the sampled ones. sampled: [n_rows], device; empty: all rows.
  /// leaf_of_row: [n_rows], device; holds lists of rows until the leaves are written. The device must have finished
  /// WriteLeaves of the last tree.
  void Reset(CudaContext const& cuda, Span<std::int32_t> leaf_of_row, Span<std::uint8_t const> sampled);
  /// Makes splits pending, unless their children will remain leaves or their rows were moved ahead.
  void Split(std::vector<CodeSplit> const& splits);
  /// Records splits whose rows are not moved; only WriteLeaves uses them.
  void SplitWhereTheyAre(std::vector<CodeSplit> const& splits);
  /// Makes a split pending that the tree does not have yet; its node may itself have been split off ahead. The caller
  /// numbers the children: two consecutive numbers from kForeseen on, ascending.
  void Foresee(CodeSplit const& split) { waiting_.push_back(split); }
  bool HasWaiting() const { return !waiting_.empty(); }
  NodeSource SourceOf(std::int32_t node) const;
  RowPointers Pointers() const { return lists_.Pointers(); }
  /// Returns the places of the bins' codes, [n_cols], device.
  FeaturePlace const* Places() const { return places_.data(); }
  /// Returns the places of the codes that rows are moved by.
  FeaturePlace const* MovePlaces() const { return move_places_.data(); }
  /// Returns the rows that a new tree begins with.
  RowStretch Root() const { return stretches_[0]; }
  /// Returns the plan by which the rows are moved.
  MovePlan Plan() const { return PlanFor(n_rows_); }
  /// Returns the plan for n_rows rows, the total of several trees.
  MovePlan PlanFor(std::uint32_t n_rows) const {
    return MovePlan::For(n_rows, columns_.IsThere() ? MovePlan::kLargeTile : MovePlan::kSmallTile);
  }

  /// Adds the pending splits to a request.
  void AddTo(Upload* request);
  /// Moves rows to the children of their nodes, once the request is sent.
  void Move(CudaContext const& cuda, Upload const& request) const;
  /// Moves rows by splits without categories that are not recorded otherwise. n_left: MoveTask::n_left.
  void MoveBy(CudaContext const& cuda, Span<NodeSplit const> splits, PlannedTiles const& tiles,
              std::uint32_t* n_left) const;
  /// Takes the finished tree, [n_nodes], device, in place of the splits that were passed one by one. Valid until Reset.
  /// If several trees grew together, takes all of them, [n_trees, n_nodes].
  void TakeTree(Span<WalkNode const> nodes, std::uint32_t n_trees = 1) {
    tree_ = nodes;
    n_trees_ = n_trees;
  }
  /// Returns the counts of rows that went left and right by the request, [2 * n_splits], device.
  Span<std::uint32_t> NumLeft(Upload const& request) const {
    return {request.At<std::uint32_t>(n_left_place_), 2 * waiting_.size()};
  }
  /// Returns page-locked memory, [2 * n_splits], to which NumLeft must be copied before TakeStretches or TakeForeseen.
  std::uint32_t* Answer() const { return n_left_.data(); }
  void FetchAnswer(CudaContext const& cuda, Upload const& request) const;
  /// Takes over the answer once the stream has passed it; no split is pending afterwards.
  void TakeStretches();
  /// Does the same for splits made ahead of their turn.
  void TakeForeseen();
  /// Writes every row's leaf, or its leaves in all trees, [n_trees, n_rows].
  void WriteLeaves(CudaContext const& cuda, std::int32_t* leaf_of_row);

 private:
  using Children = std::pair<RowStretch, RowStretch>;

  RowStretch const& StretchOf(std::int32_t node) const;
  /// Gives a child that was split off ahead the number that it has in the tree.
  void TakeChild(std::int32_t foreseen, std::int32_t node);

  void SampleRoot(CudaContext const& cuda, Span<std::uint8_t const> sampled);
  void AddToWalk(CodeSplit const& split);
  NodeSplit MakeSplit(CodeSplit const& split);
  Children StretchesOf(std::size_t waiting) const;

  DeviceBins const* bins_ = nullptr;
  std::uint32_t n_rows_ = 0;
  ColumnCopy columns_;                     ///< codes that rows are moved by
  std::vector<FeaturePlace> host_places_;  ///< [n_cols], which stay until the stream has copied them
  std::vector<FeaturePlace> host_move_places_;
  Buffer<FeaturePlace> places_;  ///< [n_cols]
  Buffer<FeaturePlace> move_places_;
  RowBuffers lists_;
  std::vector<RowStretch> stretches_;  ///< by node, for nodes that may still be split
  std::vector<CodeSplit> waiting_;     ///< pending splits, ascending by the numbers of their children
  /// By node that is not split in the tree yet: its left child.
  std::unordered_map<std::int32_t, std::int32_t> foreseen_left_;
  std::unordered_map<std::int32_t, RowStretch> foreseen_stretches_;  ///< by number of a child split off ahead
  std::vector<WalkNode> walk_;                                       ///< the tree so far
  std::vector<std::uint32_t> walk_bits_;
  Upload of_tree_;                 ///< split of the root into sampled rows and others; later the finished tree
  Span<WalkNode const> tree_;      ///< set by TakeTree
  std::uint32_t n_trees_ = 1;      ///< number of trees in tree_
  std::vector<NodeSplit> splits_;  ///< splits of a request
  std::vector<std::uint32_t> category_bits_;
  std::size_t splits_place_ = 0;
  std::size_t category_bits_place_ = 0;
  std::size_t n_left_place_ = 0;
  std::uint32_t n_tiles_ = 0;
  PinnedBuffer<std::uint32_t> n_left_;  ///< the answer
};

}  // namespace kauri::cuda
