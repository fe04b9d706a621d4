/// \file Grows symmetric trees (symmetric_growth.h) from rows in memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tree/growth/symmetric_growth.h"
#include "tree/hist/hist_grower.h"
#include "tree/hist/level_search.h"

namespace kauri {

class SymmetricGrower : public SymmetricGrowth<HistGrower> {
 public:
  SymmetricGrower(Context const& ctx, GrowthRules const& rules, TreeTask const& task, HistData* data,
                  Span<std::int32_t> leaf_of_row)
      : SymmetricGrowth(ctx, rules, task, data, leaf_of_row),
        search_(gain_, static_cast<double>(rules.param.gamma), data->bins, costs_) {}

 private:
  LevelSplit FindLevel(Nodes const& open) override { return search_.Find(ctx_, open, columns_.TreeSet()); }
  bool MakesSplit(LevelSplit const& split, std::size_t /*place*/, HistNode* node) const override {
    return SetBest(gain_, split, search_.LeftOf(split, *node), node);
  }

  LevelSearch search_;
};

}  // namespace kauri
