/// \file Symmetric trees (hist/symmetric_growth.h) with a vector in each leaf, whose thresholds are drawn for each
/// level (drawn_level.h).
///
/// No histograms are made: a level with one threshold for each feature has two sums of each node and feature.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tree/hist/symmetric_growth.h"
#include "tree/hist_vector/drawn_level.h"
#include "tree/hist_vector/vector_grower.h"

namespace kauri {

class SymmetricVectorGrower : public SymmetricGrowth<VectorGrower> {
 public:
  SymmetricVectorGrower(Context const& ctx, GrowthRules const& rules, TreeTask const& task, VectorWorkspace* workspace,
                        GrowingRows* rows, Span<std::int32_t> leaf_of_row)
      : SymmetricGrowth(ctx, rules, task, workspace, rows, leaf_of_row),
        search_({bins_, task.table, gain_, static_cast<double>(rules.param.gamma), constraints_.Signs(), costs_}) {}

 private:
  void FindSplits(Pairs const& /*pairs*/) override {}
  /// The draw is that of a node; here each level has one.
  LevelSplit FindLevel(Nodes const& open) override {
    if (open.empty()) return {};
    return search_.Find(ctx_, open, rows_->used, DrawOf(open.front().depth), columns_.TreeSet());
  }
  bool MakesSplit(LevelSplit const& split, std::size_t place, VectorNode* node) const override {
    return search_.MakesSplit(split, place, node);
  }

  DrawnLevelSearch search_;
};

}  // namespace kauri
