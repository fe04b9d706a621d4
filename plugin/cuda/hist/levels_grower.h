/// \file Grows a tree whose levels are all queued at once (levels_finder.h). The host makes the nodes of a level while
/// devices work on lower levels and finally write the rows' leaves. This takes about 0.5 us a node. Devices wait only
/// for the last of thousands of nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "cuda/hist/found_tree_grower.h"
#include "cuda/hist/levels_finder.h"

namespace kauri::cuda {

class LevelsGrower final : public FoundTreeGrower {
 public:
  /// A grower for one tree alone.
  LevelsGrower(Context const& ctx, GrowthRules const& rules, HistTask const& task, HistOnDevice* data)
      : FoundTreeGrower(ctx, rules, task, data), leaf_of_row_(task.leaf_of_row) {}

  /// Returns why the host must take part in every level, in which case Grow must not be called; nullptr if the tree can
  /// be grown this way.
  char const* Obstacle() const;
  /// Returns whether, besides, trees like this one may grow together.
  bool MayGrowTogether() const;
  LevelRules Rules() const { return {gain_, param_.gamma, param_.max_depth, columns_.TreeSet()}; }
  /// Grows a tree from the splits that `finder` has found for one of its trees.
  Tree GrowFrom(LevelsFinder* finder, std::size_t tree);

 private:
  void FindAll() override;
  SplitCandidate FoundAt(Node const& node, std::uint32_t place) override;
  void ResetRows() override;
  void WriteLeaves() override;

  Span<std::int32_t> leaf_of_row_;
  std::optional<LevelsFinder> own_;
  LevelsFinder* finder_ = nullptr;
  std::size_t tree_of_finder_ = 0;
};

/// Returns whether trees like the task's may grow together on the device of `data` alone.
bool MayGrowTogether(Context const& ctx, GrowthRules const& rules, HistTask const& task, HistOnDevice* data);
/// Grows trees for which MayGrowTogether is true, a few at a time if memory is short. tasks and leaf_of_row: as in
/// LevelsFinder. rules: one per tree.
std::vector<Tree> GrowTogether(Context const& ctx, std::vector<GrowthRules> const& rules, CudaContext const& cuda,
                               Span<DeviceTreeTask const> tasks, Span<std::int32_t> leaf_of_row, HistOnDevice* data);

}  // namespace kauri::cuda
