/// \file Growing one tree all of whose levels are asked for at once (levels/level_rows.h), on one device or with shares
/// of its rows on others. The host makes the nodes of a level while devices are at those below it, and at last tell
/// rows their leaves: some 0.5 us a node, which only the last of thousands of nodes keep devices waiting for.
#pragma once

#include <cstdint>

#include "cuda/hist/found_tree_grower.h"
#include "cuda/hist/levels/decide_level.h"
#include "cuda/hist/tree_rows.h"

namespace kauri::cuda {

class LevelsGrower final : public FoundTreeGrower {
 public:
  LevelsGrower(Context const& ctx, GrowthRules const& rules, HistTask const& task, HistOnDevice* data)
      : FoundTreeGrower(ctx, rules, task, data), tree_rows_(task, data) {}

  /// Why the host must take part in every level, and Grow must not be called; nullptr: the tree may be grown so.
  char const* Obstacle() const;

 private:
  void FindAll() override;
  SplitCandidate FoundAt(Node const& node, std::uint32_t place) override;
  void ResetRows() override;
  void WriteLeaves() override;

  /// Has shares add up their rows of a level.
  void AskShares(int depth);
  /// Sends what stays the same for all levels, and makes room for what they find.
  void Begin();
  void AddUp(int depth);
  void Find(int depth);
  /// Has all devices tell their rows the leaves of the finished tree.
  void WriteFoundLeaves();

  TreeRows tree_rows_;
  DecideTask decide_{};
  FindTask find_{};
  int n_answered_ = 0;  ///< levels that the host has waited for
};

}  // namespace kauri::cuda
