/// \file Grows one tree with a vector in each leaf from rows in memory (hist_growth.h describes the algorithm).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tree/growth/host_growth.h"
#include "tree/growth/symmetric_growth.h"
#include "tree/hist_vector/drawn_level.h"
#include "tree/hist_vector/level_sums.h"
#include "tree/hist_vector/vector_workspace.h"

namespace kauri {

class VectorGrower : public SymmetricGrowth<HostGrowth<VectorGrowth, MemoryRows>> {
 public:
  VectorGrower(Context const& ctx, GrowthRules const& rules, TreeTask const& task, VectorWorkspace* workspace,
               MemoryRows* rows, Span<std::int32_t> leaf_of_row);

 private:
  /// The search for the splits of symmetric trees, with random thresholds per level (drawn_level.h), and the sums that
  /// it reads in place of histograms.
  struct Levels {
    DrawnLevelSearch search;
    LevelSums sums;
  };

  LevelSplit FindLevel(Nodes const& open) override;
  bool MakesSplit(LevelSplit const& split, std::size_t place, VectorNode* node) const override {
    return levels_->search.MakesSplit(split, place, node);
  }
  std::vector<std::int32_t> RightCategories(VectorNode const& node) const override {
    return levels_.has_value() ? SymmetricGrowth::RightCategories(node) : node.total.right_categories;
  }
  void FindSplits(Pairs const& pairs) override;
  void GiveBack(std::int64_t* histogram) override { workspace_->Pool()->GiveBack(histogram); }

  VectorWorkspace* workspace_;
  VectorSplitFinder finder_;
  std::optional<Levels> levels_;  ///< only of symmetric trees
};

/// Grows one tree with a vector in each leaf. workspace: kept from tree to tree, and made anew for another stride.
Tree GrowVectorTree(Context const& ctx, GrowthRules const& rules, TreeTask const& task,
                    std::unique_ptr<VectorWorkspace>* workspace, MemoryRows* rows, Span<std::int32_t> leaf_of_row);

}  // namespace kauri
