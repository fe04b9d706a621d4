/// \file Growing a tree all of whose levels are asked for at once (levels_finder.h). The host makes the nodes of a
/// level while devices are at those below it, and at last tell rows their leaves: some 0.5 us a node, which only the
/// last of thousands of nodes keep devices waiting for.
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
  /// Alone.
  LevelsGrower(Context const& ctx, GrowthRules const& rules, HistTask const& task, HistOnDevice* data)
      : FoundTreeGrower(ctx, rules, task, data), leaf_of_row_(task.leaf_of_row) {}

  /// Why the host must take part in every level, and Grow must not be called; nullptr: the tree may be grown so.
  char const* Obstacle() const;
  /// Whether trees like this may, besides, grow together.
  bool MayGrowTogether() const;
  LevelRules Rules() const { return {gain_, param_.gamma, param_.max_depth, columns_.TreeSet()}; }
  /// What `finder`, which has found them, found for one of its trees.
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

/// Whether trees like that of the task, on the device of `data` alone, may grow together.
bool MayGrowTogether(Context const& ctx, GrowthRules const& rules, HistTask const& task, HistOnDevice* data);
/// Grows trees for which that holds, as many at a time as have room. tasks and leaf_of_row: as LevelsFinder. rules: of
/// each tree.
std::vector<Tree> GrowTogether(Context const& ctx, std::vector<GrowthRules> const& rules, CudaContext const& cuda,
                               Span<DeviceTreeTask const> tasks, Span<std::int32_t> leaf_of_row, HistOnDevice* data);

}  // namespace kauri::cuda
