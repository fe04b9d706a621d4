/// \file Makes a tree from the splits of levels that are all queued at once (levels_finder.h). The host makes the nodes
/// of a level while devices work on lower levels and finally write the rows' leaves. This takes about 0.5 us a node.
/// Devices wait only for the last of thousands of nodes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/hist/levels_finder.h"
#include "cuda/hist/precomputed_grower.h"

namespace kauri::cuda {

class LevelsGrower final : public PrecomputedGrower {
 public:
  /// data: must outlive this.
  LevelsGrower(Context const& ctx, GrowthRules const& rules, HistTask const& task, HistOnDevice* data)
      : PrecomputedGrower(ctx, rules, task, data), data_(*data) {}

  /// Returns why the host must take part in every level, in which case GrowFrom must not be called; nullptr if the tree
  /// can be grown this way.
  char const* Obstacle() const;
  /// Returns whether, besides, trees like this one may grow together.
  bool MayGrowTogether() const;
  LevelRules Rules() const { return {gain_, param_.gamma, param_.max_depth, columns_.TreeSet()}; }
  /// Grows a tree from the splits that `finder` finds for one of its trees.
  Tree GrowFrom(LevelsFinder* finder, std::size_t tree);

 private:
  SplitCandidate PrecomputedAt(Node const& node, std::uint32_t place) override;
  void WriteLeaves() override;

  HistOnDevice& data_;
  LevelsFinder* finder_ = nullptr;
  std::size_t tree_of_finder_ = 0;
};

}  // namespace kauri::cuda
