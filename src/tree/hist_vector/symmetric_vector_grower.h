/// \file Grows symmetric trees (symmetric_growth.h) with a vector in each leaf, with random thresholds per level
/// (drawn_level.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "tree/growth/symmetric_growth.h"
#include "tree/hist_vector/drawn_level.h"
#include "tree/hist_vector/level_sums.h"
#include "tree/hist_vector/vector_grower.h"

namespace kauri {

class SymmetricVectorGrower : public SymmetricGrowth<VectorGrower> {
 public:
  SymmetricVectorGrower(Context const& ctx, GrowthRules const& rules, TreeTask const& task, VectorWorkspace* workspace,
                        GrowingRows* rows, Span<std::int32_t> leaf_of_row)
      : SymmetricGrowth(ctx, rules, task, workspace, rows, leaf_of_row),
        search_({bins_.Cuts(), gain_, static_cast<double>(rules.param.gamma), constraints_.Signs(), costs_},
                PlainColumnsOf(bins_)),
        sums_(bins_, task.table, search_.NumSums()) {}

 private:
  void FindSplits(Pairs const& /*pairs*/) override {}
  /// Uses the draw of the node whose id equals the depth, so that each level has one draw.
  LevelSplit FindLevel(Nodes const& open) override {
    if (open.empty()) return {};
    auto const sum = [&](LevelConditions const& conditions, Span<VectorNode const> nodes) {
      return sums_.Of(ctx_, conditions, nodes, rows_->used);
    };
    return search_.Find(ctx_, open, DrawOf(open.front().depth), columns_.TreeSet(), sum);
  }
  bool MakesSplit(LevelSplit const& split, std::size_t place, VectorNode* node) const override {
    return search_.MakesSplit(split, place, node);
  }

  DrawnLevelSearch search_;
  LevelSums sums_;
};

}  // namespace kauri
