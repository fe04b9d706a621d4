/// \file split_criterion=absolute_error: grows trees whose splits reduce the absolute error of the best constants, as
/// found by label_bins.h. Leaf values still come from gradients.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "common/threads/parallel_for.h"
#include "tree/absolute_error/fixed_residuals.h"
#include "tree/hist/hist_grower.h"

namespace kauri {

/// Search: LabelBinSearch, or a search with the same members.
template <typename Search>
class AbsoluteErrorGrower : public HistGrower {
 public:
  AbsoluteErrorGrower(Context const& ctx, GrowthRules const& rules, TreeTask const& task, HistData* data,
                      Span<std::int32_t> leaf_of_row);

 private:
  void FindSplits(Pairs const& pairs) override;

  FixedResiduals residuals_;
  Search search_;
  std::vector<typename Search::Scratch> scratch_;  ///< by thread
};

template <typename Search>
AbsoluteErrorGrower<Search>::AbsoluteErrorGrower(Context const& ctx, GrowthRules const& rules, TreeTask const& task,
                                                 HistData* data, Span<std::int32_t> leaf_of_row)
    : HistGrower(ctx, rules, task, data, leaf_of_row),
      residuals_(ctx, task.errors, task.sampled_rows),
      search_(data->bins, residuals_, gain_, task.gradients.pairs),
      scratch_(static_cast<std::size_t>(ctx.threads)) {}

template <typename Search>
void AbsoluteErrorGrower<Search>::FindSplits(Pairs const& pairs) {
  std::vector<Node*> open;
  for (auto const& pair : pairs) {
    for (auto* node : {pair.small, pair.large}) {
      if (node != nullptr && node->IsOpen()) open.push_back(node);
    }
  }
  std::vector<typename Search::Node> nodes(open.size());
  std::vector<std::pair<std::size_t, std::uint32_t>> tasks;  // a node and one of its features
  for (std::size_t i = 0; i < open.size(); ++i) {
    auto const range = rows_->used.RangeOf(open[i]->id);
    nodes[i].rows = {rows_->used.Rows(), range.begin, range.end};
    nodes[i].total = &open[i]->total;
    for (auto const feature : *open[i]->features) tasks.emplace_back(i, feature);
  }
  ParallelFor(ctx_, static_cast<std::int64_t>(nodes.size()), [&](std::int64_t i) { search_.Prepare(&nodes[i]); });
  std::vector<SplitCandidate> found(tasks.size());
  ParallelFor(ctx_, static_cast<std::int64_t>(tasks.size()), [&](std::int64_t i) {
    auto const [node, feature] = tasks[i];
    found[i] = search_.Find(nodes[node], feature, &scratch_[ThreadIndex()]);
  });
  for (auto* node : open) node->best = {};
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    auto& best = open[tasks[i].first]->best;
    if (IsBetter(found[i], best)) best = found[i];
  }
}

}  // namespace kauri
