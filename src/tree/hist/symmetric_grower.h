/// \file grow_policy=symmetric: trees that make the same split in all nodes of a level.
///
/// 1. The split of a level is the one with the largest sum of loss changes, each less gamma (level_search.h).
/// 2. The nodes that can make it are split, those that cannot stay for the levels below: so every path from the root
///    asks some of the tree's max_depth questions at most, in the same order.
/// 3. The tree ends where no split's sum, in float32, is above kMinLossChange, and before a level with which it would
///    have more than max_leaves leaves.
/// A node may lose by the split of its level: its loss_change is negative then.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/data_matrix.h"
#include "tree/hist/hist_grower.h"
#include "tree/hist/level_search.h"

namespace kauri {

class SymmetricGrower : public HistGrower {
 public:
  SymmetricGrower(Context const& ctx, GrowthRules const& rules, TreeTask const& task, HistData* data,
                  Span<std::int32_t> leaf_of_row);

 private:
  void Choose(Nodes* open, Nodes* chosen) override;
  /// Whether the split is to be made: sets `best` of the nodes that can make it.
  bool IsLevelWorthSplitting(LevelSplit const& split, Nodes* open) const;

  LevelSearch search_;
};

/// \throws Error(kParameter) for data of which no symmetric trees are made: categorical columns, bins in a file.
void RequireSymmetric(DataMatrix const& data);

}  // namespace kauri
