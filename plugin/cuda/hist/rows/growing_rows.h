/// \file The rows of a growing tree: which stretch of the lists (node_rows.h) each of its nodes has.
///
/// Splits wait until the next request goes to the device; how many rows went left is known once that is answered. Rows
/// that were not sampled, and those of children that are leaves for good, are in no list: a walk of the finished tree
/// tells all rows their leaves (walk_codes.h).
///
/// Splits may be foreseen: rows go to children that nobody has made yet, which find them there once they are made; and
/// to children of these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/common/upload.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/rows/column_copy.h"
#include "cuda/hist/rows/node_rows.h"
#include "cuda/hist/rows/walk_codes.h"
#include "kauri/span.h"
#include "tree/rows/code_split.h"

namespace kauri::cuda {

/// Numbers of nodes that are foreseen begin here: no tree has so many.
constexpr std::int32_t kForeseen = std::int32_t{1} << 30U;

/// Where the rows of a node are once the splits that wait are made.
struct NodeSource {
  RowStretch rows;        ///< its own, or its parent's where `split` is there
  std::int32_t split;     ///< which of the waiting splits makes it, or -1
  std::uint32_t is_left;  ///< which child it is
};

/// How rows are moved, and the tiles of all nodes in a turn.
struct PlannedTiles {
  MovePlan plan;
  std::uint32_t n_tiles;
};

class GrowingRowsOnDevice {
 public:
  GrowingRowsOnDevice() = default;
  /// The first n_rows of `bins`, for the trees to come. bins: must outlive them.
  void TakeBins(CudaContext const& cuda, DeviceBins const& bins, std::int64_t n_rows);
  /// Of those the first n_rows alone.
  void TakeFirst(std::int64_t n_rows) { n_rows_ = static_cast<std::uint32_t>(n_rows); }

  /// A new tree: all rows, or those that are sampled ([n_rows], device; empty: all), are in its root. request: what
  /// holds no other request now. leaf_of_row: [n_rows], device: memory for lists of rows until they get their leaves.
  void Reset(CudaContext const& cuda, Span<std::int32_t> leaf_of_row, Span<std::uint8_t const> sampled,
             Upload* request);
  /// Lets splits wait, but for those whose children are leaves for good and those that were foreseen.
  void Split(std::vector<CodeSplit> const& splits);
  /// Splits whose rows stay where they are: WriteLeaves alone hears of them.
  void SplitWhereTheyAre(std::vector<CodeSplit> const& splits);
  /// Lets a split wait that the tree does not have yet, of a node or of a child that was foreseen; the numbers of its
  /// children are the caller's: two in a row from kForeseen on, ascending.
  void Foresee(CodeSplit const& split) { waiting_.push_back(split); }
  bool HasWaiting() const { return !waiting_.empty(); }
  NodeSource SourceOf(std::int32_t node) const;
  RowPointers Pointers() const { return lists_.Pointers(); }
  /// [n_cols], device: where the codes of the bins are.
  FeaturePlace const* Places() const { return places_.data(); }
  /// The same of the codes that rows are moved by.
  FeaturePlace const* MovePlaces() const { return move_places_.data(); }
  /// The rows that a new tree begins with.
  RowStretch Root() const { return stretches_[0]; }
  /// By which they are moved.
  MovePlan Plan() const { return PlanFor(n_rows_); }
  /// By which so many are, of several trees.
  MovePlan PlanFor(std::uint32_t n_rows) const {
    return MovePlan::For(n_rows, columns_.IsThere() ? MovePlan::kLargeTile : MovePlan::kSmallTile);
  }

  /// The splits that wait become part of a request.
  void AddTo(Upload* request);
  /// Once that is sent: rows go to the children of their nodes.
  void Move(CudaContext const& cuda, Upload const& request) const;
  /// The same by splits without categories, of which nobody else hears. n_left: MoveTask::n_left.
  void MoveBy(CudaContext const& cuda, Span<NodeSplit const> splits, PlannedTiles const& tiles,
              std::uint32_t* n_left) const;
  /// The finished tree, [n_nodes], device: in place of the splits that were told one by one. Until Reset. Of several
  /// trees that grew together those of all, [n_trees, n_nodes].
  void TakeTree(Span<WalkNode const> nodes, std::uint32_t n_trees = 1) {
    tree_ = nodes;
    n_trees_ = n_trees;
  }
  /// [2 * n_splits], device: rows that went left, and right, by the request.
  Span<std::uint32_t> NumLeft(Upload const& request) const {
    return {request.At<std::uint32_t>(n_left_place_), 2 * waiting_.size()};
  }
  /// [2 * n_splits], page-locked: where NumLeft is to be copied before TakeStretches or TakeForeseen.
  std::uint32_t* Answer() const { return n_left_.data(); }
  void FetchAnswer(CudaContext const& cuda, Upload const& request) const;
  /// Once the stream has passed that: no split waits any more.
  void TakeStretches();
  /// The same where splits were foreseen.
  void TakeForeseen();
  /// Tells every row its leaf, or [n_trees, n_rows] its leaves. request: as in Reset.
  void WriteLeaves(CudaContext const& cuda, Upload* request, std::int32_t* leaf_of_row) const;

 private:
  using Children = std::pair<RowStretch, RowStretch>;

  RowStretch const& StretchOf(std::int32_t node) const;
  /// A child that was foreseen gets the number that it has in the tree.
  void TakeChild(std::int32_t foreseen, std::int32_t node);

  void SampleRoot(CudaContext const& cuda, Span<std::uint8_t const> sampled, Upload* request);
  void AddToWalk(CodeSplit const& split);
  NodeSplit MakeSplit(CodeSplit const& split);
  Children StretchesOf(std::size_t waiting) const;

  DeviceBins const* bins_ = nullptr;
  std::uint32_t n_rows_ = 0;
  ColumnCopy columns_;           ///< what rows are moved by
  Buffer<FeaturePlace> places_;  ///< [n_cols]
  Buffer<FeaturePlace> move_places_;
  RowBuffers lists_;
  std::vector<RowStretch> stretches_;                                ///< by node, of those that may be split
  std::vector<CodeSplit> waiting_;                                   ///< by the numbers of their children, ascending
  std::unordered_map<std::int32_t, std::int32_t> foreseen_left_;     ///< by node, not split yet: its left child
  std::unordered_map<std::int32_t, RowStretch> foreseen_stretches_;  ///< by child
  std::vector<WalkNode> walk_;                                       ///< the tree so far
  std::vector<std::uint32_t> walk_bits_;
  Span<WalkNode const> tree_;      ///< TakeTree
  std::uint32_t n_trees_ = 1;      ///< of those
  std::vector<NodeSplit> splits_;  ///< of a request
  std::vector<std::uint32_t> category_bits_;
  std::size_t splits_place_ = 0;
  std::size_t category_bits_place_ = 0;
  std::size_t n_left_place_ = 0;
  std::uint32_t n_tiles_ = 0;
  PinnedBuffer<std::uint32_t> n_left_;  ///< the answer
};

}  // namespace kauri::cuda
