/// \file Growing one tree from histograms, level by level or by the largest gain first.
///
/// 1. The root's sum and histogram give its best split.
/// 2. Nodes to split are chosen: depthwise all of a level in the order of their ids; lossguide the leaf with the
/// largest
///    loss change, the lowest id among equals. max_leaves ends both.
/// 3. They get two children each, numbered in that order; the rows follow (hist_rows.h).
/// 4. Children that may be split again get their best splits (hist_level.h); back to 2.
/// A split needs a loss change above kMinLossChange and of at least gamma, in float32.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kauri/tree.h"
#include "kauri/tree_param.h"
#include "tree/constraints.h"
#include "tree/hist_level.h"
#include "tree/sampling.h"

namespace kauri {

/// What a builder keeps per data set.
struct HistData {
  HistData(Context const& ctx, DataMatrix const& data, int max_bin, CutOptions const& options);

  BinMatrix bins;
  HistWorkspace workspace;
  RowLists rows;        ///< those that histograms are made of
  RowLists other_rows;  ///< those that were not sampled
};

/// Grows one tree, then is spent.
class HistGrower {
 public:
  HistGrower(Context const& ctx, TreeParam const& param, ConstraintRules const& rules, TreeTask const& task,
             HistData* data, Span<std::int32_t> leaf_of_row);
  Tree Grow();

 private:
  using Nodes = std::vector<HistNode>;

  void ResetRows();
  Nodes MakeRoot();
  void GrowByLevel(Nodes level);
  void GrowByLoss(Nodes leaves);
  bool IsWorthSplitting(HistNode const& node) const;
  /// Splits the nodes; returns the children that may be split again, with their best splits.
  Nodes Expand(Span<HistNode> nodes);
  void AddChildren(HistNode const& node, Nodes* children, std::vector<CodeSplit>* splits);
  void FindSplits(Span<HistNode> parents, Nodes* children);
  HistNode MakeNode(std::int32_t id, std::int32_t depth, FixedSum sum) const;
  std::shared_ptr<std::vector<std::uint32_t> const> ColumnsOf(std::int32_t id, std::int32_t depth) const;
  bool MayBeSplit(HistNode const& node) const;
  void SplitRows(std::vector<CodeSplit> const& splits);
  void Release(HistNode* node);

  Context const& ctx_;
  TreeParam const& param_;
  TreeTask const& task_;
  HistData* data_;
  Span<std::int32_t> leaf_of_row_;
  GainParam gain_;
  ColumnSampler columns_;
  TreeConstraints constraints_;
  Tree tree_;
  std::int64_t n_leaves_ = 1;
};

}  // namespace kauri
