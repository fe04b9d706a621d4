/// \file Grows one tree from histograms, level by level or by the largest gain first. Scalar leaves and vector leaves,
/// and all storage of rows, share this code.
///
/// 1. The root's sum and histogram give its best split.
/// 2. Nodes to split are chosen. Depthwise: all of a level in the order of their ids. Lossguide: the leaf with the
///    largest loss change, the lowest id among equals. max_leaves ends both. Symmetric trees choose differently
///    (symmetric_growth.h).
/// 3. Each gets two children, numbered in that order; the rows follow.
/// 4. Children that may be split again get their best splits; back to 2.
/// A split needs a loss change above kMinLossChange and of at least gamma, in float32.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "data/sketch/quantile_sketch.h"
#include "tree/growth/tree_growth.h"
#include "tree/rows/code_split.h"

namespace kauri {

/// A node that may still be split.
template <typename Growth>
struct GrowingNode {
  std::int32_t id = 0;
  std::int32_t depth = 0;
  typename Growth::Total total;               ///< totals from which its statistics follow
  typename Growth::Sum* histogram = nullptr;  ///< borrowed; nullptr if no longer needed or never made
  SplitCandidate best;
  /// Features to scan, ascending; null if the node must not be split.
  std::shared_ptr<std::vector<std::uint32_t> const> features;

  bool IsOpen() const { return features != nullptr; }
};

/// The two children of one node, or one node alone as `small`.
template <typename Growth>
struct GrowingPair {
  GrowingNode<Growth>* small = nullptr;    ///< the child with fewer rows, whose histogram is added up
  GrowingNode<Growth>* large = nullptr;    ///< may be nullptr if it must not be split
  typename Growth::Sum* parent = nullptr;  ///< becomes the histogram of `large`
};

/// Work memory of a growth, kept from tree to tree by the owner if possible: fresh memory costs more than the work of a
/// level of thousands of nodes.
template <typename Growth>
struct GrowthMemory {
  std::vector<GrowingNode<Growth>> open;
  std::vector<GrowingNode<Growth>> chosen;
  std::vector<GrowingNode<Growth>> children;
  std::vector<CodeSplit> splits;
  std::vector<std::vector<std::int32_t>> right_categories;  ///< by split
  std::vector<GrowingPair<Growth>> pairs;
};

/// Grows one tree and can be used once. Growth: ScalarGrowth, or VectorGrowth of hist_vector/vector_growth.h. Derived
/// classes know where rows and histograms are stored; on the CPU they derive from HostGrowth.
template <typename Growth>
class HistGrowth : public Growth {
 public:
  template <typename Units>
  HistGrowth(Context const& ctx, GrowthRules const& rules, Units const& units, QuantileCuts const& cuts)
      : Growth(ctx, rules, units, cuts.NumCols()), cuts_(cuts) {}
  virtual ~HistGrowth() = default;

  Tree Grow();

 protected:
  using Total = typename Growth::Total;
  using Sum = typename Growth::Sum;
  using Node = GrowingNode<Growth>;
  using Nodes = std::vector<Node>;
  using Pairs = std::vector<GrowingPair<Growth>>;

  /// Calls Growth::SetRoot with the sum over the sampled rows.
  virtual Total MakeRoot() = 0;
  /// Returns the categories that go right at the best split of a node, which is categorical. The rows of the node have
  /// not moved yet, and its histogram still exists if it has one.
  virtual std::vector<std::int32_t> RightCategories(Node const& node) const = 0;
  /// Sets `histogram` and `best` of the nodes in the pairs.
  virtual void FindSplits(Pairs const& pairs) = 0;
  virtual void GiveBack(Sum* histogram) = 0;
  /// Begins a new tree: all rows are in its root.
  virtual void ResetRows() = 0;
  /// Announces (lossguide) that up to n_more nodes of the heap `open` will be split, the largest gains first, unless
  /// their descendants gain more. An implementation that processes many nodes as fast as one may begin.
  virtual void LookAhead(Nodes const& /*open*/, std::int64_t /*n_more*/) {}
  /// Announces that nodes will be split; `is_last` of their splits is not set yet. An implementation that can move rows
  /// while the host makes the children may begin.
  virtual void BeginSplits(Nodes const& /*nodes*/, std::vector<CodeSplit>* /*splits*/) {}
  /// Sends rows to the children of their nodes. FindSplits follows, sometimes without pairs.
  virtual void SplitRows(std::vector<CodeSplit> const& splits) = 0;
  /// Writes the leaf of every row.
  virtual void WriteLeaves() = 0;
  /// Returns whether the left of two siblings has at most as many rows as the right one, as far as that is known.
  virtual bool HasFewerRows(Node const& left, Node const& right) const = 0;
  /// Moves the nodes to split from `open` to `chosen`, ascending, and releases those not worth a split. If it chooses
  /// none, no node is left to split.
  virtual void Choose(Nodes* open, Nodes* chosen);
  /// Sets the features that a node may be split at, if it may be split at all.
  void Open(Node* node) const;
  void Release(Node* node);
  /// Returns whether the tree has the maximum number of leaves once n_chosen more nodes are split.
  bool IsFull(std::size_t n_chosen) const {
    return this->param_.max_leaves > 0 && n_leaves_ + static_cast<std::int64_t>(n_chosen) >= this->param_.max_leaves;
  }
  bool IsWorthSplitting(Node const& node) const {
    return ReducesLoss(node.best) && static_cast<float>(node.best.loss_change) >= this->param_.gamma;
  }
  /// Returns whether node a of the heap `open` comes after node b in lossguide.
  static bool ComesLater(Node const& a, Node const& b) {
    return a.best.loss_change != b.best.loss_change ? a.best.loss_change < b.best.loss_change : a.id > b.id;
  }
  /// Returns whether all nodes may use all features of the tree.
  bool AllMayUseAll() const {
    return !this->columns_.SamplesLevels() && !this->columns_.SamplesNodes() && !this->constraints_.LimitsFeatures();
  }
  /// Returns the features of the tree, borrowed.
  std::shared_ptr<std::vector<std::uint32_t> const> AllFeatures() const {
    return {std::shared_ptr<void>(), &this->columns_.TreeSet()};
  }

  /// Returns how many leaves may still be added.
  std::int64_t NumMoreLeaves() const {
    return this->param_.max_leaves > 0 ? this->param_.max_leaves - n_leaves_ : std::numeric_limits<std::int64_t>::max();
  }

  QuantileCuts const& cuts_;
  GrowthMemory<Growth>* memory_ = &own_memory_;

 private:
  void OpenRoot(Nodes* open);
  void ChooseLevel(Nodes* open, Nodes* chosen);
  void ChooseLargestGain(Nodes* open, Nodes* chosen);
  /// Splits the nodes and their rows, and makes two children for each.
  void Expand(Nodes const& chosen, Nodes* children);
  /// Makes the splits of the nodes, except `is_last`, with the ids of the future children.
  void MakeSplits(Nodes const& chosen);
  void AddChildren(Node const& node, Span<std::int32_t const> right_categories, CodeSplit* split, Nodes* children);
  /// Returns the pairs to pass to FindSplits, after giving back parent histograms that are no longer needed.
  Pairs const& PairUp(Nodes* parents, Nodes* children);
  /// Moves the children that may be split to `open`.
  void Keep(Nodes* children, Nodes* open);
  std::shared_ptr<std::vector<std::uint32_t> const> FeaturesOf(Node const& node) const;

  std::int64_t n_leaves_ = 1;
  GrowthMemory<Growth> own_memory_;
};

template <typename Growth>
Tree HistGrowth<Growth>::Grow() {
  auto& open = memory_->open;
  auto& chosen = memory_->chosen;
  auto& children = memory_->children;
  ResetRows();
  OpenRoot(&open);
  for (Choose(&open, &chosen); !chosen.empty(); Choose(&open, &chosen)) {
    Expand(chosen, &children);
    FindSplits(PairUp(&chosen, &children));
    Keep(&children, &open);
  }
  WriteLeaves();
  SetLeafWeights(&this->tree_);
  return std::move(this->tree_);
}

template <typename Growth>
void HistGrowth<Growth>::OpenRoot(Nodes* open) {
  open->clear();
  open->resize(1);
  auto& root = open->front();
  root.total = MakeRoot();
  Open(&root);
  if (!root.IsOpen()) return open->clear();
  FindSplits({{&root, nullptr, nullptr}});
}

template <typename Growth>
void HistGrowth<Growth>::Choose(Nodes* open, Nodes* chosen) {
  chosen->clear();
  if (this->param_.grow_policy == TreeParam::kLossGuide) return ChooseLargestGain(open, chosen);
  ChooseLevel(open, chosen);
}

template <typename Growth>
void HistGrowth<Growth>::ChooseLevel(Nodes* open, Nodes* chosen) {
  for (auto& node : *open) {
    if (!IsFull(chosen->size()) && IsWorthSplitting(node)) {
      chosen->push_back(std::move(node));
    } else {
      Release(&node);
    }
  }
  open->clear();
}

template <typename Growth>
void HistGrowth<Growth>::ChooseLargestGain(Nodes* open, Nodes* chosen) {
  if (!open->empty() && !IsFull(0)) LookAhead(*open, NumMoreLeaves());
  while (chosen->empty() && !open->empty() && !IsFull(0)) {
    std::pop_heap(open->begin(), open->end(), ComesLater);
    if (IsWorthSplitting(open->back())) {
      chosen->push_back(std::move(open->back()));
    } else {
      Release(&open->back());
    }
    open->pop_back();
  }
}

template <typename Growth>
void HistGrowth<Growth>::Expand(Nodes const& chosen, Nodes* children) {
  n_leaves_ += static_cast<std::int64_t>(chosen.size());
  children->clear();
  children->reserve(2 * chosen.size());
  MakeSplits(chosen);
  auto& splits = memory_->splits;
  BeginSplits(chosen, &splits);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    AddChildren(chosen[i], memory_->right_categories[i], &splits[i], children);
  }
  SplitRows(splits);
}

template <typename Growth>
void HistGrowth<Growth>::MakeSplits(Nodes const& chosen) {
  auto& splits = memory_->splits;
  auto& right_categories = memory_->right_categories;
  splits.clear();
  right_categories.clear();
  auto next_id = this->tree_.NumNodes();
  for (auto const& node : chosen) {
    auto const is_categorical = cuts_.IsCategorical(node.best.feature);
    right_categories.push_back(is_categorical ? RightCategories(node) : std::vector<std::int32_t>());
    splits.push_back(MakeCodeSplit(cuts_, node.best, right_categories.back()));
    splits.back().node = node.id;
    splits.back().left = next_id++;
    splits.back().right = next_id++;
  }
}

template <typename Growth>
void HistGrowth<Growth>::AddChildren(Node const& node, Span<std::int32_t const> right_categories, CodeSplit* split,
                                     Nodes* children) {
  children->emplace_back();
  children->emplace_back();
  auto& left = (*children)[children->size() - 2];
  auto& right = children->back();
  left.id = split->left;
  right.id = split->right;
  left.depth = right.depth = node.depth + 1;
  std::tie(left.total, right.total) = this->SplitNode(node.id, node.total, node.best, right_categories);
  Open(&left);
  Open(&right);
  split->is_last = !left.IsOpen() && !right.IsOpen();
}

template <typename Growth>
typename HistGrowth<Growth>::Pairs const& HistGrowth<Growth>::PairUp(Nodes* parents, Nodes* children) {
  auto& pairs = memory_->pairs;
  pairs.clear();
  for (std::size_t i = 0; i < parents->size(); ++i) {
    auto& parent = (*parents)[i];
    auto* small = &(*children)[2 * i];
    auto* large = small + 1;
    if (!HasFewerRows(*small, *large)) std::swap(small, large);
    if (large->IsOpen() && parent.histogram != nullptr) {
      pairs.push_back({small, large, parent.histogram});
      continue;
    }
    Release(&parent);
    if (small->IsOpen()) pairs.push_back({small, nullptr, nullptr});
    if (large->IsOpen()) pairs.push_back({large, nullptr, nullptr});
  }
  return pairs;
}

template <typename Growth>
void HistGrowth<Growth>::Keep(Nodes* children, Nodes* open) {
  auto const is_heap = this->param_.grow_policy == TreeParam::kLossGuide;
  for (auto& child : *children) {
    if (!child.IsOpen()) {
      Release(&child);
      continue;
    }
    open->push_back(std::move(child));
    if (is_heap) std::push_heap(open->begin(), open->end(), ComesLater);
  }
}

template <typename Growth>
std::shared_ptr<std::vector<std::uint32_t> const> HistGrowth<Growth>::FeaturesOf(Node const& node) const {
  if (AllMayUseAll()) return AllFeatures();
  auto const& columns = this->columns_;
  auto const samples = columns.SamplesLevels() || columns.SamplesNodes();
  auto const drawn = samples ? columns.NodeSet(node.depth, node.id) : columns.TreeSet();
  return std::make_shared<std::vector<std::uint32_t> const>(this->constraints_.AllowedOf(node.id, drawn));
}

template <typename Growth>
void HistGrowth<Growth>::Open(Node* node) const {
  if (!IsFull(0) && this->MaySplit(node->total, node->depth)) node->features = FeaturesOf(*node);
}

template <typename Growth>
void HistGrowth<Growth>::Release(Node* node) {
  if (node->histogram != nullptr) GiveBack(node->histogram);
  node->histogram = nullptr;
}

}  // namespace kauri
