/// \file Grows one tree with a scalar in each leaf from rows in memory, by any criterion and any choice of nodes
/// (hist_growth.h describes the algorithm).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tree/growth/host_growth.h"
#include "tree/growth/symmetric_growth.h"
#include "tree/hist/hist_workspace.h"
#include "tree/hist/level_search.h"
#include "tree/hist_vector/vector_workspace.h"

namespace kauri {

/// State that a builder keeps per data set and training: bins, which may be shared with others, and scratch.
struct HistData {
  explicit HistData(std::shared_ptr<BinMatrix const> matrix);

  std::shared_ptr<BinMatrix const> shared_bins;
  BinMatrix const& bins;
  HistWorkspace workspace;
  std::unique_ptr<VectorWorkspace> vectors;  ///< for trees with vector leaves; nullptr until the first such tree
  MemoryRows rows;
};

class HistGrower : public SymmetricGrowth<HostGrowth<ScalarGrowth, MemoryRows>> {
 public:
  /// make_criterion: nullptr if splits are chosen by the gains of gradients.
  HistGrower(Context const& ctx, GrowthRules const& rules, TreeTask const& task, HistData* data,
             Span<std::int32_t> leaf_of_row, MakeCriterion make_criterion = nullptr);

 private:
  LevelSplit FindLevel(Nodes const& open) override { return levels_.Find(ctx_, open, columns_.TreeSet()); }
  bool MakesSplit(LevelSplit const& split, std::size_t /*place*/, HistNode* node) const override {
    return SetBest(gain_, split, levels_.LeftOf(split, *node), node);
  }
  std::vector<std::int32_t> RightCategories(HistNode const& node) const override;
  void FindSplits(Pairs const& pairs) override;
  void GiveBack(FixedSum* histogram) override { workspace_->Pool()->GiveBack(histogram); }
  bool IsSymmetric() const { return param_.grow_policy == TreeParam::kSymmetric; }

  HistWorkspace* workspace_;
  LevelSearch levels_;                         ///< used by symmetric trees
  std::unique_ptr<SplitCriterion> criterion_;  ///< nullptr: gains of gradients
};

}  // namespace kauri
