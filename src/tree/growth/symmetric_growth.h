/// \file grow_policy=symmetric: grows trees that make the same split in all nodes of a level. It is the third choice of
/// nodes, beside the two of hist_growth.h.
///
/// 1. The split of a level is the one with the largest sum of loss changes, each less gamma (level_search.h).
/// 2. The nodes that can make it are split; the others stay for the levels below. Every path from the root thus tests
///    some of the tree's at most max_depth conditions, in the same order.
/// 3. The tree ends when no split's sum, in float32, exceeds kMinLossChange, and before a level that would give it more
///    than max_leaves leaves.
/// A node may lose by the split of its level; its loss_change is then negative.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tree/growth/split_search.h"
#include "tree/growth/tree_common.h"

namespace kauri {

/// Grower: a growth from histograms, wherever the rows are stored. For symmetric trees its FindSplits makes what
/// FindLevel needs, and chooses no splits.
template <typename Grower>
class SymmetricGrowth : public Grower {
 public:
  using Grower::Grower;

 protected:
  using Nodes = typename Grower::Nodes;

  /// Returns the category whose index is the threshold (level_search.h), which goes right at the split of a level.
  std::vector<std::int32_t> RightCategories(typename Nodes::value_type const& node) const override {
    return {this->cuts_.categories[node.best.feature][static_cast<std::size_t>(node.best.threshold)]};
  }

 private:
  /// Does what LevelSearch::Find does, for the nodes of a level.
  virtual LevelSplit FindLevel(Nodes const& open) = 0;
  /// Makes the split the best of the node at position `place` in the level searched last. Returns false, leaving the
  /// node without a split, if the node cannot make it.
  virtual bool MakesSplit(LevelSplit const& split, std::size_t place, typename Nodes::value_type* node) const = 0;

  void Choose(Nodes* open, Nodes* chosen) override;
  /// Sets `best` of the nodes that can make the split and returns whether the split should be made.
  bool IsLevelWorthSplitting(LevelSplit const& split, Nodes* open) const;
};

template <typename Grower>
bool SymmetricGrowth<Grower>::IsLevelWorthSplitting(LevelSplit const& split, Nodes* open) const {
  if (!ReducesLoss(split.best)) return false;
  std::int64_t n_split = 0;
  for (std::size_t node = 0; node < open->size(); ++node) {
    n_split += MakesSplit(split, node, &(*open)[node]) ? 1 : 0;
  }
  return n_split <= this->NumMoreLeaves();
}

template <typename Grower>
void SymmetricGrowth<Grower>::Choose(Nodes* open, Nodes* chosen) {
  if (this->param_.grow_policy != TreeParam::kSymmetric) return Grower::Choose(open, chosen);
  chosen->clear();
  auto const split = FindLevel(*open);
  auto const is_split = IsLevelWorthSplitting(split, open);
  Nodes kept;
  for (auto& node : *open) {
    if (is_split && node.best.IsValid()) {
      chosen->push_back(std::move(node));
      continue;
    }
    ++node.depth;
    node.features = nullptr;
    if (is_split) this->Open(&node);
    if (node.IsOpen()) {
      kept.push_back(std::move(node));
    } else {
      this->Release(&node);
    }
  }
  *open = std::move(kept);
}

}  // namespace kauri
