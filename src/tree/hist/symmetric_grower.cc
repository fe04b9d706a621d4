#include "tree/hist/symmetric_grower.h"

#include <utility>

#include "data/bins/bin_store.h"
#include "data/categories/categories.h"
#include "kauri/error.h"

namespace kauri {

SymmetricGrower::SymmetricGrower(Context const& ctx, GrowthRules const& rules, TreeTask const& task, HistData* data,
                                 Span<std::int32_t> leaf_of_row)
    : HistGrower(ctx, rules, task, data, leaf_of_row),
      search_(gain_, static_cast<double>(rules.param.gamma), data->bins, costs_) {}

bool SymmetricGrower::IsLevelWorthSplitting(LevelSplit const& split, Nodes* open) const {
  if (!ReducesLoss(split.best)) return false;
  std::int64_t n_split = 0;
  for (auto& node : *open) n_split += search_.SetBest(split, &node) ? 1 : 0;
  return n_split <= NumMoreLeaves();
}

void SymmetricGrower::Choose(Nodes* open, Nodes* chosen) {
  chosen->clear();
  auto const split = search_.Find(ctx_, *open, columns_.TreeSet());
  auto const is_split = IsLevelWorthSplitting(split, open);
  Nodes kept;
  for (auto& node : *open) {
    if (is_split && node.best.IsValid()) {
      chosen->push_back(std::move(node));
      continue;
    }
    ++node.depth;
    node.features = nullptr;
    if (is_split) Open(&node);
    if (node.IsOpen()) {
      kept.push_back(std::move(node));
    } else {
      Release(&node);
    }
  }
  *open = std::move(kept);
}

void RequireSymmetric(DataMatrix const& data) {
  if (HasCategorical(data.Info())) {
    Fail(ErrorKind::kParameter, "grow_policy=symmetric splits numbers, and the data have categorical columns; give ",
         "these as numbers, or set grow_policy=depthwise.");
  }
  if (auto const bins = BinsOf(data); bins != nullptr && bins->IsInFile()) {
    Fail(ErrorKind::kParameter, "grow_policy=symmetric takes rows in memory, and the bins are in a file; use ",
         "QuantileDMatrix in place of ExtMemQuantileDMatrix, or set grow_policy=depthwise.");
  }
}

}  // namespace kauri
