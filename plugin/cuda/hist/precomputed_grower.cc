#include "cuda/hist/precomputed_grower.h"

namespace kauri::cuda {

PrecomputedGrower::PrecomputedGrower(Context const& ctx, GrowthRules const& rules, HistTask const& task,
                                     HistOnDevice* data)
    : HistGrowth(ctx, rules, GradientUnit(), *data->bins->cuts),
      cuda_(task.cuda),
      task_(task.tree),
      bins_(*data->bins) {
  memory_ = &data->growth;
}

bool PrecomputedGrower::SplitsFollowFromSums() const {
  return AllMayUseAll() && costs_.empty() && !gain_.monotone && !param_.extra_trees && !HasNoise() &&
         param_.min_data_in_leaf <= 1;
}

NodeTotal PrecomputedGrower::MakeRoot() {
  auto const& totals = task_.totals.OnHost();
  gain_.unit = totals.unit;
  return SetRoot(totals.sum);
}

void PrecomputedGrower::FindSplits(Pairs const& pairs) {
  for (auto const& pair : pairs) {
    for (auto* node : {pair.small, pair.large}) {
      if (node != nullptr && node->IsOpen()) node->best = PrecomputedAt(*node, place_of_node_[ToSize(node->id)]);
    }
  }
}

void PrecomputedGrower::SplitRows(std::vector<CodeSplit> const& splits) {
  for (auto const& split : splits) {
    auto const place = place_of_node_[ToSize(split.node)];
    place_of_node_.push_back(2 * place + 1);
    place_of_node_.push_back(2 * place + 2);
  }
}

}  // namespace kauri::cuda
