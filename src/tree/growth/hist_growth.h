/// \file Growing one tree from histograms, level by level or by the largest gain first; the same for leaves that hold
/// numbers and for leaves that hold vectors.
///
/// 1. The root's sum and histogram give its best split.
/// 2. Nodes to split are chosen: depthwise all of a level in the order of their ids; lossguide the leaf with the
///    largest loss change, the lowest id among equals. max_leaves ends both.
/// 3. They get two children each, numbered in that order; the rows follow (rows/row_lists.h).
/// 4. Children that may be split again get their best splits; back to 2.
/// A split needs a loss change above kMinLossChange and of at least gamma, in float32.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/context.h"
#include "kauri/tree.h"
#include "kauri/tree_builder.h"
#include "kauri/tree_param.h"
#include "tree/constraints/constraints.h"
#include "tree/growth/tree_common.h"
#include "tree/histogram/bin_split.h"
#include "tree/rows/row_lists.h"
#include "tree/sampling/sampling.h"

namespace kauri {

/// A node that may still be split. Total: what its statistics follow from; Sum: what its histogram is made of.
template <typename Total, typename Sum>
struct GrowingNode {
  std::int32_t id = 0;
  std::int32_t depth = 0;
  Total total;
  Sum* histogram = nullptr;  ///< borrowed; nullptr when not needed any more
  SplitCandidate best;
  std::shared_ptr<std::vector<std::uint32_t> const> features;  ///< to be scanned, ascending; null: not to be split

  bool IsOpen() const { return features != nullptr; }
};

/// Children of one node, or one node alone as `small`.
template <typename Node>
struct GrowingPair {
  Node* small = nullptr;                       ///< the one with fewer rows: its histogram is added up
  Node* large = nullptr;                       ///< may be nullptr when it is not to be split
  decltype(Node::histogram) parent = nullptr;  ///< becomes the histogram of `large`
};

/// The rows of one data set while a tree grows.
struct GrowingRows {
  RowLists used;         ///< those that histograms are made of
  RowLists not_sampled;  ///< the others
};

/// Grows one tree, then is spent.
template <typename Node>
class HistGrowth {
 public:
  HistGrowth(Context const& ctx, TreeParam const& param, ConstraintRules const& rules, TreeTask const& task,
             BinMatrix const& bins, GrowingRows* rows, Span<std::int32_t> leaf_of_row)
      : ctx_(ctx),
        param_(param),
        task_(task),
        bins_(bins),
        rows_(rows),
        leaf_of_row_(leaf_of_row),
        columns_(param, ctx.seed, task.place, bins.NumCols()),
        constraints_(rules, bins.NumCols()) {}
  virtual ~HistGrowth() = default;

  Tree Grow();

 protected:
  using Nodes = std::vector<Node>;
  using Pairs = std::vector<GrowingPair<Node>>;

  /// Sets node 0 of the tree and returns its total.
  virtual decltype(Node::total) MakeRoot() = 0;
  /// Sets the two last nodes of the tree, the children of `parent`, tells constraints_ of the split, and sets `total`
  /// of both.
  virtual void MakeChildren(Node const& parent, Node* left, Node* right) = 0;
  /// The categories that go right at the best split of a node, which is at a categorical feature. `histogram` is still
  /// the node's.
  virtual std::vector<std::int32_t> RightCategories(Node const& node) const = 0;
  /// Whether both children of a node could have enough hessian.
  virtual bool MayHaveChildren(Node const& node) const = 0;
  /// Sets `histogram` and `best` of the nodes in the pairs.
  virtual void FindSplits(Pairs const& pairs) = 0;
  virtual void GiveBack(decltype(Node::histogram) histogram) = 0;
  /// These four are for rows that are not kept in rows_. A split is followed by FindSplits, with no pairs at times.
  virtual void ResetRows();
  virtual void SplitRows(std::vector<CodeSplit> const& splits);
  virtual void WriteLeaves();
  virtual bool HasFewerRows(Node const& left, Node const& right) const {
    return rows_->used.NumRows(left.id) <= rows_->used.NumRows(right.id);
  }
  void Release(Node* node);

  Context const& ctx_;
  TreeParam const& param_;
  TreeTask const& task_;
  BinMatrix const& bins_;
  GrowingRows* rows_;
  Span<std::int32_t> leaf_of_row_;
  ColumnSampler columns_;
  TreeConstraints constraints_;
  Tree tree_;

 private:
  Nodes OpenRoot();
  void GrowByLevel(Nodes level);
  void GrowByLoss(Nodes leaves);
  bool IsWorthSplitting(Node const& node) const;
  /// Splits the nodes; returns the children that may be split again, with their best splits.
  Nodes Expand(Span<Node> nodes);
  void AddChildren(Node const& node, Nodes* children, std::vector<CodeSplit>* splits);
  void FindSplitsOf(Span<Node> parents, Nodes* children);
  void Open(Node* node) const;
  bool MayBeSplit(Node const& node) const;
  std::shared_ptr<std::vector<std::uint32_t> const> ColumnsOf(Node const& node) const;

  std::int64_t n_leaves_ = 1;
};

template <typename Node>
Tree HistGrowth<Node>::Grow() {
  ResetRows();
  auto root = OpenRoot();
  if (param_.grow_policy == TreeParam::kLossGuide) {
    GrowByLoss(std::move(root));
  } else {
    GrowByLevel(std::move(root));
  }
  WriteLeaves();
  return std::move(tree_);
}

template <typename Node>
void HistGrowth<Node>::WriteLeaves() {
  rows_->used.WriteLeaves(ctx_, leaf_of_row_);
  if (!task_.sampled_rows.empty()) rows_->not_sampled.WriteLeaves(ctx_, leaf_of_row_);
}

template <typename Node>
void HistGrowth<Node>::ResetRows() {
  if (task_.sampled_rows.empty()) {
    rows_->used.Reset(bins_.NumRows());
  } else {
    rows_->used.Reset(task_.sampled_rows, 1);
    rows_->not_sampled.Reset(task_.sampled_rows, 0);
  }
}

template <typename Node>
typename HistGrowth<Node>::Nodes HistGrowth<Node>::OpenRoot() {
  Nodes root(1);
  root[0].total = MakeRoot();
  Open(&root[0]);
  if (!root[0].IsOpen()) return {};
  FindSplits({{&root[0], nullptr, nullptr}});
  return root;
}

template <typename Node>
bool HistGrowth<Node>::IsWorthSplitting(Node const& node) const {
  return ReducesLoss(node.best) && static_cast<float>(node.best.loss_change) >= param_.gamma;
}

template <typename Node>
void HistGrowth<Node>::GrowByLevel(Nodes level) {
  while (!level.empty()) {
    Nodes chosen;
    for (auto& node : level) {
      auto const is_full =
          param_.max_leaves > 0 && n_leaves_ + static_cast<std::int64_t>(chosen.size()) >= param_.max_leaves;
      if (!is_full && IsWorthSplitting(node)) {
        chosen.push_back(std::move(node));
      } else {
        Release(&node);
      }
    }
    level = Expand(chosen);
  }
}

template <typename Node>
void HistGrowth<Node>::GrowByLoss(Nodes leaves) {
  auto const is_less = [](Node const& a, Node const& b) {
    return a.best.loss_change != b.best.loss_change ? a.best.loss_change < b.best.loss_change : a.id > b.id;
  };
  auto const is_full = [&] { return param_.max_leaves > 0 && n_leaves_ >= param_.max_leaves; };
  while (!leaves.empty() && !is_full()) {  // a heap
    std::pop_heap(leaves.begin(), leaves.end(), is_less);
    auto node = std::move(leaves.back());
    leaves.pop_back();
    if (!IsWorthSplitting(node)) {
      Release(&node);
      continue;
    }
    for (auto& child : Expand({&node, 1})) {
      leaves.push_back(std::move(child));
      std::push_heap(leaves.begin(), leaves.end(), is_less);
    }
  }
}

template <typename Node>
bool HistGrowth<Node>::MayBeSplit(Node const& node) const {
  if (param_.max_depth > 0 && node.depth >= param_.max_depth) return false;
  if (param_.max_leaves > 0 && n_leaves_ >= param_.max_leaves) return false;
  return MayHaveChildren(node);
}

template <typename Node>
std::shared_ptr<std::vector<std::uint32_t> const> HistGrowth<Node>::ColumnsOf(Node const& node) const {
  auto const samples = columns_.SamplesLevels() || columns_.SamplesNodes();
  if (!samples && !constraints_.LimitsFeatures()) return {std::shared_ptr<void>(), &columns_.TreeSet()};
  auto const drawn = samples ? columns_.NodeSet(node.depth, node.id) : columns_.TreeSet();
  return std::make_shared<std::vector<std::uint32_t> const>(constraints_.AllowedOf(node.id, drawn));
}

template <typename Node>
void HistGrowth<Node>::Open(Node* node) const {
  if (MayBeSplit(*node)) node->features = ColumnsOf(*node);
}

template <typename Node>
void HistGrowth<Node>::SplitRows(std::vector<CodeSplit> const& splits) {
  rows_->used.Split(ctx_, bins_, splits, leaf_of_row_);
  if (!task_.sampled_rows.empty()) rows_->not_sampled.Split(ctx_, bins_, splits, leaf_of_row_);
}

template <typename Node>
void HistGrowth<Node>::Release(Node* node) {
  if (node->histogram != nullptr) GiveBack(node->histogram);
  node->histogram = nullptr;
}

template <typename Node>
void HistGrowth<Node>::AddChildren(Node const& node, Nodes* children, std::vector<CodeSplit>* splits) {
  auto const& best = node.best;
  Node left;
  Node right;
  left.id = tree_.NumNodes();
  right.id = left.id + 1;
  left.depth = right.depth = node.depth + 1;
  auto const is_categorical = bins_.Cuts().IsCategorical(best.feature);
  auto const categories = is_categorical ? RightCategories(node) : std::vector<std::int32_t>();
  tree_.ExpandNode(node.id,
                   {best.feature, best.threshold, best.default_left, static_cast<float>(best.loss_change), categories});
  MakeChildren(node, &left, &right);
  Open(&left);
  Open(&right);
  splits->push_back(
      {node.id, left.id, right.id, best.feature, 0, best.default_left, !left.IsOpen() && !right.IsOpen()});
  if (is_categorical) {
    splits->back().right_codes = MarkCategories(bins_, best.feature, categories);
  } else {
    splits->back().first_right = FirstRight(bins_, best.feature, best.threshold);
  }
  children->push_back(std::move(left));
  children->push_back(std::move(right));
}

template <typename Node>
void HistGrowth<Node>::FindSplitsOf(Span<Node> parents, Nodes* children) {
  Pairs pairs;
  for (std::size_t i = 0; i < parents.size(); ++i) {
    auto* small = &(*children)[2 * i];
    auto* large = small + 1;
    if (!HasFewerRows(*small, *large)) std::swap(small, large);
    if (large->IsOpen() && parents[i].histogram != nullptr) {
      pairs.push_back({small, large, parents[i].histogram});
      continue;
    }
    Release(&parents[i]);
    if (small->IsOpen()) pairs.push_back({small, nullptr, nullptr});
    if (large->IsOpen()) pairs.push_back({large, nullptr, nullptr});
  }
  FindSplits(pairs);
}

template <typename Node>
typename HistGrowth<Node>::Nodes HistGrowth<Node>::Expand(Span<Node> nodes) {
  if (nodes.empty()) return {};
  n_leaves_ += static_cast<std::int64_t>(nodes.size());
  Nodes children;
  children.reserve(2 * nodes.size());
  std::vector<CodeSplit> splits;
  for (auto const& node : nodes) AddChildren(node, &children, &splits);
  SplitRows(splits);
  FindSplitsOf(nodes, &children);
  Nodes open;
  for (auto& child : children) {
    if (child.IsOpen()) {
      open.push_back(std::move(child));
    } else {
      Release(&child);
    }
  }
  return open;
}

}  // namespace kauri
