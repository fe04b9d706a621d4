/// \file Growing one tree from histograms in device memory (tree/growth/hist_growth.h has the algorithm).
///
/// For trees that need the host on their way, or that grow by gain; what follows from sums alone is asked for at once
/// (levels_grower.h). The host decides: it reads the best splits of a level's nodes and how many rows went left, once a
/// level, and says what is asked of the next. One copy takes the request there; kernels write the answer to page-locked
/// memory. Of many nodes rows are moved, or told their leaves, while the host makes the children: some 0.6 us a node.
///
/// Lossguide splits one leaf at a time. As the device is as fast with many, the leaves that may be split are looked at
/// together, ahead of their turn, and so are their children that may be (look_ahead.cc); which of them are split, and
/// in which order, is decided as ever.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "cuda/hist/category_cells.h"
#include "cuda/hist/hist_task.h"
#include "cuda/hist/split/find_splits.h"
#include "cuda/hist/split/tree_features.h"
#include "cuda/hist/tree_rows.h"
#include "cuda/tree/device_tree_builder.h"
#include "kauri/collective.h"
#include "tree/growth/hist_growth.h"
#include "tree/growth/square_sum.h"

namespace kauri::cuda {

class GpuHistGrower : public HistGrowth<ScalarGrowth> {
 public:
  GpuHistGrower(Context const& ctx, GrowthRules const& rules, HistTask const& task, HistOnDevice* data);

 protected:
  /// What a node's splits are searched with; of one that may not use all features of the tree, these are marked in a
  /// list more of `allowed`.
  SearchedNode Searched(Node const& node, std::vector<std::uint8_t>* allowed) const;
  /// What is asked of the splits of the tree, whatever the nodes.
  FindTask TaskOfTree() const;

  CudaContext cuda_;
  HistOnDevice* data_;

 private:
  NodeTotal MakeRoot() override;
  std::vector<std::int32_t> RightCategories(Node const& node) const override;
  void FindSplits(Pairs const& pairs) override;
  void GiveBack(FixedSum* histogram) override;
  void ResetRows() override;
  void LookAhead(Nodes const& open, std::int64_t n_more) override;
  void BeginSplits(Nodes const& nodes, std::vector<CodeSplit>* splits) override;
  void SplitRows(std::vector<CodeSplit> const& splits) override;
  void WriteLeaves() override;
  bool HasFewerRows(Node const& left, Node const& right) const override { return WeighsLess(left.total, right.total); }

  /// The places of a request's arrays, for Upload::At.
  struct Request {
    std::size_t histogram_nodes;
    std::size_t pairs;
    std::size_t nodes;
    std::size_t allowed;
    std::size_t costs;
    std::size_t noise_keys;
    std::int64_t most_rows = 0;  ///< to be added up here, about
  };

  /// The children of a node that were looked at before the node was split, with numbers from kForeseen on. Its rows are
  /// where theirs are to be, and the histogram of the larger one is in place of the node's.
  struct Foreseen {
    Node left;
    Node right;
  };

  bool CanLookAhead() const;
  std::vector<Node const*> WorthALook(Nodes const& open, std::int64_t n_more) const;
  Foreseen const* ForeseenOf(Node const& node) const;
  /// Whether nothing more is to be found of a node's children.
  bool IsForeseen(Node const& node) const;
  void LookAt(std::vector<Node const*> const& parents);
  Node MakeChild(Node const& parent, FixedSum sum, std::int32_t id) const;
  /// A child that was foreseen gets the number that it has in the tree.
  void TakeForeseenChild(Node* foreseen, std::int32_t node);
  /// Nodes that are split now, whose children were foreseen.
  void TakeForeseenOf(std::vector<CodeSplit> const& splits);
  /// Gives children what was foreseen of them; returns the pairs of which nothing was.
  Pairs TakeForeseen(Pairs const& pairs);
  /// What FindSplits does but for what is foreseen.
  void FindOnDevice(Pairs const& pairs);
  /// Other devices get the splits, and what they are to do with them.
  void BeginSplitsOfShares(std::vector<CodeSplit> const& splits);
  void SendTree();
  /// Of this rank's rows, on all devices.
  SquareSum SquareRowsHere() const;
  /// Whether both children of a node are leaves for good.
  bool IsLast(Node const& node) const;
  /// What rows here were moved by.
  Upload const& Moves() const { return has_begun_ ? data_->of_moves : data_->of_level; }
  Request SendLevel(Pairs const& pairs);
  /// Asks for the histogram of a node, whose rows are some of its parent's where it has a sibling.
  void Want(Node const& node, bool has_sibling, Request* sent);
  void AddUp(Request const& request, std::size_t n_nodes);
  /// Whether nodes have splits of their own; the levels of symmetric trees have others, which need histograms alone.
  bool SearchesNodes() const { return param_.grow_policy != TreeParam::kSymmetric; }
  bool IsAlone() const { return data_->shares.empty() && !IsDistributed(ctx_); }
  /// Adds what other devices and ranks added up; waits for how many rows went left here where that is needed.
  void Collect(Request const& request, Pairs const& pairs);
  void Find(Request const& request, std::size_t n_pairs);
  /// Rows of a node on all devices, of this rank alone; once the answers are there.
  std::int64_t NumRowsHere(std::int32_t node) const;
  std::int64_t NumRowsHere(NodeSource const& source, GrowingRowsOnDevice const& rows) const {
    return NumRowsOf({source.rows, source.split, source.is_left, nullptr}, rows.Answer());
  }
  /// Of each pair the rows of the node that is added up, and those of both, of all devices and ranks.
  void CountRows(Pairs const& pairs);
  /// Tells the nodes how many rows they have, of all devices and ranks.
  void TellRows(Pairs const& pairs) const;
  void ReadAnswers(std::vector<Node*> const& nodes, std::uint32_t n_blocks);

  DeviceTreeTask const& task_;
  TreeRows tree_rows_;
  TreeFeatures tree_features_;
  std::size_t signs_ = 0;             ///< a place in data_->of_tree
  std::vector<std::int64_t> n_rows_;  ///< [n_pairs, 2]: CountRows; empty: they are counted here alone
  std::size_t counted_nodes_ = 0;     ///< places in data_->of_counts
  std::size_t n_small_ = 0;
  bool has_begun_ = false;                                 ///< BeginSplits moved the rows of the level
  bool has_leaves_ = false;                                ///< and wrote the leaves
  std::unordered_map<std::int32_t, Foreseen> foreseen_;    ///< by node, foreseen or not, that is not split yet
  std::int32_t n_foreseen_ = 0;                            ///< nodes so far
  std::unordered_map<std::int32_t, Node> foreseen_child_;  ///< by node, just made
  CategoryCells categories_;
};

}  // namespace kauri::cuda
