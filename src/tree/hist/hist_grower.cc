#include "tree/hist/hist_grower.h"

#include <cstring>
#include <utility>

#include "common/threads/parallel_for.h"
#include "kauri/collective.h"

namespace kauri {

HistData::HistData(std::shared_ptr<BinMatrix const> matrix)
    : shared_bins(std::move(matrix)), bins(*shared_bins), workspace(bins), rows(bins) {}

HistGrower::HistGrower(Context const& ctx, GrowthRules const& rules, TreeTask const& task, HistData* data,
                       Span<std::int32_t> leaf_of_row, MakeCriterion make_criterion)
    : SymmetricGrowth(ctx, rules, task, &data->rows, leaf_of_row),
      workspace_(&data->workspace),
      levels_(gain_, static_cast<double>(rules.param.gamma), data->bins, costs_) {
  workspace_->BeginTree(!IsSymmetric(), rules.param.min_data_in_leaf > 1);
  if (make_criterion != nullptr) criterion_ = make_criterion({ctx_, task_, data->bins, gain_});
}

std::vector<std::int32_t> HistGrower::RightCategories(HistNode const& node) const {
  if (IsSymmetric()) return SymmetricGrowth::RightCategories(node);
  BinSplitFinder const finder(gain_, cuts_);
  if (node.histogram == nullptr) {
    auto const& rows = rows_->Sampled();
    auto const range = rows.RangeOf(node.id);
    FewRows const of_node{task_.gradients.pairs, {rows.Rows(), range.begin, range.end}, {}, node.total, false};
    return workspace_->RightCategoriesOf(finder, of_node, node.best);
  }
  auto const* cells = node.histogram + workspace_->Bins().FeatureBegin()[node.best.feature];
  return finder.RightCategories(node.best, cells, node.total.categories);
}

void HistGrower::FindSplits(Pairs const& pairs) {
  auto const& rows = rows_->Sampled();
  if (criterion_ != nullptr) return criterion_->FindSplits(rows, pairs);
  auto const others = workspace_->SearchFewRows(ctx_, task_, gain_, rows, pairs);
  if (others.empty()) return;
  auto const& adder = workspace_->Adder();
  auto const& portions = workspace_->PlanPortions(ctx_, rows, others);
  ParallelFor(portions.team, portions.NumTasks(), [&](std::int64_t index) {
    auto const& band = portions.BandOf(index);
    auto const bytes = (band.last_cell - band.first_cell) * sizeof(FixedSum);
    for (auto const& piece : portions.PiecesOf(index)) {
      std::memset(static_cast<void*>(piece.histogram + band.first_cell), 0, bytes);
      adder.Add(task_.gradients.pairs, piece.slice, columns_.TreeSet(), band, piece.histogram);
      if (workspace_->CountsRows()) workspace_->CountPiece(piece, columns_.TreeSet(), band);
    }
  });
  if (IsDistributed(ctx_)) workspace_->SumOverRanks(ctx_, columns_.TreeSet(), others);
  workspace_->FinishSplits(ctx_, gain_, others);
}

}  // namespace kauri
