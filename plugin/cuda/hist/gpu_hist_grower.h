/// \file Growing one tree from histograms in device memory (tree/growth/hist_growth.h has the algorithm).
///
/// The host decides: it reads the best splits of a level's nodes and how many rows went left, once a level, and says
/// what is asked of the next. One copy takes the request there; kernels write the answer to page-locked memory.
///
/// Lossguide splits one leaf at a time. As the device is as fast with many, the leaves that are likely to be split next
/// are looked at together, ahead of their turn (look_ahead.cc); which of them are split, and in which order, is decided
/// as ever.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "cuda/hist/category_cells.h"
#include "cuda/hist/gpu_hist_state.h"
#include "cuda/hist/rows/walk_codes.h"
#include "cuda/hist/split/find_splits.h"
#include "cuda/tree/device_tree_builder.h"
#include "tree/growth/hist_growth.h"

namespace kauri::cuda {

/// Where a tree grows and what from.
struct HistTask {
  CudaContext cuda;
  DeviceTreeTask const& tree;
  Span<std::int32_t> leaf_of_row;  ///< (out) [n_rows], device; lists of rows until then
};

class GpuHistGrower : public HistGrowth<ScalarGrowth> {
 public:
  GpuHistGrower(Context const& ctx, GrowthRules const& rules, HistTask const& task, HistOnDevice* data);

 private:
  NodeTotal MakeRoot() override;
  std::vector<std::int32_t> RightCategories(Node const& node) const override;
  void FindSplits(Pairs const& pairs) override;
  void GiveBack(FixedSum* histogram) override;
  void ResetRows() override;
  void LookAhead(Nodes const& open, std::int64_t n_more) override;
  void SplitRows(std::vector<CodeSplit> const& splits) override;
  void WriteLeaves() override;
  bool HasFewerRows(Node const& left, Node const& right) const override { return WeighsLess(left.total, right.total); }

  /// The places of a request's arrays, for Upload::At.
  struct Request {
    std::size_t splits;
    std::size_t category_bits;
    std::size_t n_left;
    std::size_t histogram_nodes;
    std::size_t pairs;
    std::size_t nodes;
    std::size_t allowed;
    std::size_t costs;
    std::uint32_t n_tiles = 0;   ///< of the rows that go to children
    std::int64_t most_rows = 0;  ///< to be added up, about
  };

  /// The children of a node that were looked at before the node was split. Its rows are where theirs are to be, and
  /// the histogram of the larger one is in place of the node's.
  struct Foreseen {
    Node left;
    Node right;
    RowStretch left_rows;
    RowStretch right_rows;
  };

  bool CanLookAhead() const;
  std::vector<Node const*> WorthALook(Nodes const& open, std::int64_t n_more) const;
  void LookAt(std::vector<Node const*> const& parents);
  Node MakeChild(Node const& parent, FixedSum sum, std::int32_t id) const;
  /// Gives children what was foreseen of them; returns the pairs of which nothing was.
  Pairs TakeForeseen(Pairs const& pairs);
  /// What FindSplits does but for what is foreseen.
  void FindOnDevice(Pairs const& pairs);
  void AddToWalk(CodeSplit const& split);
  void SampleRoot();
  void SendTree();
  Request SendLevel(Pairs const& pairs);
  /// Returns how many tiles their rows make.
  std::uint32_t MakeSplits(LevelRequest* request) const;
  HistogramNode HistogramOf(Node const& node) const;
  SearchedNode Searched(Node const& node, std::vector<std::uint8_t>* allowed) const;
  void MoveRows(Request const& request);
  void AddUp(Request const& request, std::size_t n_nodes);
  void Find(Request const& request, std::size_t n_pairs);
  void ReadAnswers(std::vector<Node*> const& nodes, std::uint32_t n_blocks);
  void TakeStretches();

  CudaContext cuda_;
  DeviceTreeTask const& task_;
  HistOnDevice* data_;
  Span<std::int32_t> leaf_of_row_;
  std::vector<RowStretch> stretches_;  ///< by node, of those that may be split
  std::vector<CodeSplit> pending_;     ///< whose rows go to their children with the next request
  std::vector<WalkNode> walk_;         ///< the tree so far
  std::vector<std::uint32_t> walk_bits_;
  std::size_t tree_features_ = 0;  ///< places in data_->of_tree
  std::size_t signs_ = 0;
  std::unordered_map<std::int32_t, Foreseen> foreseen_;    ///< by node, not split yet
  std::unordered_map<std::int32_t, Node> foreseen_child_;  ///< by node, just made
  CategoryCells categories_;
};

}  // namespace kauri::cuda
