/// \file Grows one tree from histograms in device memory (tree/growth/hist_growth.h has the algorithm).
///
/// For trees that need the host while they grow, or that grow by gain. If all splits follow from sums alone, all levels
/// are queued at once instead (LevelsGrower). The host decides: once a level, it reads the best splits of the nodes
/// and how many rows went left, and composes the request for the next level. One copy sends the request to the device;
/// kernels write the answer to page-locked memory. If a level has many nodes, the device moves their rows, or writes
/// their leaves, while the host makes the children: about 0.6 us a node.
///
/// Lossguide splits one leaf at a time, but the device searches many nodes as fast as one. So all leaves that may be
/// split are searched together ahead of their turn, and so are their children (look_ahead.cc). Which leaves are split,
/// and in which order, is decided as usual.
///
/// In symmetric trees (tree/growth/symmetric_growth.h) the device finds the split of a level from the histograms of its
/// nodes (split/level_splits.h). The host waits twice per level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "cuda/hist/category_cells.h"
#include "cuda/hist/gpu_hist_state.h"
#include "cuda/hist/split/find_splits.h"
#include "cuda/hist/split/find_task.h"
#include "cuda/hist/tree_rows.h"
#include "cuda/tree/device_tree_builder.h"
#include "kauri/collective.h"
#include "tree/growth/hist_growth.h"
#include "tree/growth/symmetric_growth.h"
#include "tree/growth/tree_common.h"
#include "tree/hist/level_search.h"

namespace kauri::cuda {

class GpuHistGrower final : public SymmetricGrowth<HistGrowth<ScalarGrowth>> {
 public:
  GpuHistGrower(Context const& ctx, GrowthRules const& rules, HistTask const& task, HistOnDevice* data);

 private:
  NodeTotal MakeRoot() override;
  std::vector<std::int32_t> RightCategories(Node const& node) const override;
  void FindSplits(Pairs const& pairs) override;
  LevelSplit FindLevel(Nodes const& open) override;
  bool MakesSplit(LevelSplit const& split, std::size_t place, Node* node) const override;
  void GiveBack(FixedSum* histogram) override;
  void ResetRows() override;
  void LookAhead(Nodes const& open, std::int64_t n_more) override;
  void BeginSplits(Nodes const& nodes, std::vector<CodeSplit>* splits) override;
  void SplitRows(std::vector<CodeSplit> const& splits) override;
  void WriteLeaves() override;
  bool HasFewerRows(Node const& left, Node const& right) const override { return WeighsLess(left.total, right.total); }

  /// Places of a request's arrays, for Upload::At.
  struct Request {
    std::size_t histogram_nodes;
    std::size_t pairs;
    std::size_t nodes;
    std::size_t allowed;
    std::size_t costs;
    std::size_t noise_keys;
    std::int64_t most_rows = 0;  ///< approximate number of rows to be added up here
  };

  /// Children that were searched before their parent was split, numbered from kForeseen on. Their parent's rows are
  /// already moved to their places, and the histogram of the larger child replaces the parent's.
  struct Foreseen {
    Node left;
    Node right;
  };

  bool CanLookAhead() const;
  std::vector<Node const*> WorthALook(Nodes const& open, std::int64_t n_more) const;
  Foreseen const* ForeseenOf(Node const& node) const;
  /// Returns whether nothing more has to be found for a node's children.
  bool IsForeseen(Node const& node) const;
  void LookAt(std::vector<Node const*> const& parents);
  Node MakeChild(Node const& parent, FixedSum sum, std::int32_t id) const;
  /// Gives a child that was searched ahead the number that it has in the tree.
  void TakeForeseenChild(Node* foreseen, std::int32_t node);
  /// Moves the results of the search ahead from nodes that are split now to their children.
  void TakeForeseenOf(std::vector<CodeSplit> const& splits);
  /// Gives children the results found ahead of their turn. Returns the pairs that have none.
  Pairs TakeForeseen(Pairs const& pairs);
  /// Finds the splits of nodes that were not searched ahead: adds up the rows of the smaller nodes, and searches.
  void FindOnDevice(Pairs const& pairs);
  void SendTree();
  /// Sums the squares of this rank's gradients on all devices.
  SquareSum SquareRowsHere() const;
  /// Returns whether both children of a node will remain leaves.
  bool IsLast(Node const& node) const;
  /// Returns the request that the rows here were moved by.
  Upload const& Moves() const { return has_begun_ ? buffers_.of_moves : buffers_.of_level; }
  Request SendLevel(Pairs const& pairs);
  /// Requests the histogram of a node. If the node has a sibling, its rows are a part of its parent's.
  void Want(Node const& node, bool has_sibling, Request* sent);
  /// Returns the task of adding up the rows of the requested nodes on the main device.
  AddTask AddedBy(Request const& request, std::size_t n_nodes) const;
  /// Returns the task of counting the same rows behind the sums of `add`.
  AddTask CountedBy(AddTask add) const;
  /// Returns the search input of a node. If the node may not use all features of the tree, appends one more list of
  /// flags to `allowed`.
  SearchedNode Searched(Node const& node, std::vector<std::uint8_t>* allowed) const;
  /// Returns the settings of the split search that all nodes of the tree share.
  FindTask TaskOfTree() const;
  /// Returns whether the nodes of a level share one split. They need histograms alone; otherwise nodes have splits of
  /// their own.
  bool IsSymmetric() const { return param_.grow_policy == TreeParam::kSymmetric; }
  bool IsAlone() const { return rows_.Shards().empty() && !IsDistributed(ctx_); }
  /// Adds the sums of other devices and ranks. If rows are counted, waits for how many went left here.
  void Collect(Request const& request, Pairs const& pairs);
  void Find(Request const& request, std::size_t n_pairs);
  /// Counts, over all devices and ranks, the rows of each pair's summed node and of both its nodes.
  void CountRows(Pairs const& pairs);
  /// Sets the nodes' row counts over all devices and ranks.
  void TellRows(Pairs const& pairs) const;
  void ReadAnswers(std::vector<Node*> const& nodes, std::uint32_t n_blocks);

  CudaContext cuda_;
  DeviceBins const& bins_;
  LevelBuffers& buffers_;
  DeviceTreeTask const& task_;
  TreeHistograms& histograms_;
  TreeRows rows_;
  TreeFeatures tree_features_;
  std::size_t signs_ = 0;             ///< place in buffers_.of_tree
  std::vector<std::int64_t> n_rows_;  ///< [n_pairs, 2], see CountRows; empty if rows are counted on this device alone
  std::size_t counted_nodes_ = 0;     ///< place in buffers_.of_counts, like n_small_
  std::size_t n_small_ = 0;
  bool has_begun_ = false;   ///< BeginSplits moved the rows of the level
  bool has_leaves_ = false;  ///< BeginSplits also wrote the leaves
  /// By number of a node that is not split yet, whether itself searched ahead or not.
  std::unordered_map<std::int32_t, Foreseen> foreseen_;
  std::int32_t n_foreseen_ = 0;                            ///< number of nodes searched ahead so far
  std::unordered_map<std::int32_t, Node> foreseen_child_;  ///< by number of a node that was just made
  CategoryCells categories_;
};

}  // namespace kauri::cuda
