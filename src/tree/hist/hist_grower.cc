#include "tree/hist/hist_grower.h"

#include <utility>

#include "tree/growth/tree_common.h"

namespace kauri {
namespace {

constexpr double kBelowTwice = 2.0 * (1.0 - 1e-9);  // less than any rounding of the sums can turn into enough

}  // namespace

HistData::HistData(std::shared_ptr<BinMatrix const> matrix)
    : shared_bins(std::move(matrix)), bins(*shared_bins), workspace(bins) {}

HistGrower::HistGrower(Context const& ctx, TreeParam const& param, ConstraintRules const& rules, TreeTask const& task,
                       HistData* data, Span<std::int32_t> leaf_of_row)
    : HistGrower(ctx, param, rules, task, &data->workspace, &data->rows, leaf_of_row) {}

HistGrower::HistGrower(Context const& ctx, TreeParam const& param, ConstraintRules const& rules, TreeTask const& task,
                       HistWorkspace* workspace, GrowingRows* rows, Span<std::int32_t> leaf_of_row)
    : HistGrowth(ctx, param, rules, task, workspace->Bins(), rows, leaf_of_row),
      workspace_(workspace),
      gain_(MakeGainParam(param, task.gradients.unit, rules.HasMonotone())),
      leaf_rate_(LeafRate(param, task)) {
  workspace_->Pool()->GiveBackAll();
}

NodeTotal HistGrower::TotalOf(FixedSum sum, WeightBounds const& bounds) const {
  return {sum, NodeGain(sum, gain_, bounds), bounds, constraints_.Signs(), CategoryRulesOf(param_)};
}

NodeTotal HistGrower::MakeRoot() {
  auto const sum = SumGradients(ctx_, task_);
  SetNode(sum, gain_, leaf_rate_, 0, &tree_);
  return TotalOf(sum, constraints_.BoundsOf(0));
}

void HistGrower::MakeChildren(HistNode const& parent, HistNode* left, HistNode* right) {
  auto const& best = parent.best;
  SetNode(best.left, gain_, leaf_rate_, left->id, &tree_, parent.total.bounds);
  SetNode(best.right, gain_, leaf_rate_, right->id, &tree_, parent.total.bounds);
  constraints_.AddSplit(tree_, parent.id);
  left->total = TotalOf(best.left, constraints_.BoundsOf(left->id));
  right->total = TotalOf(best.right, constraints_.BoundsOf(right->id));
}

std::vector<std::int32_t> HistGrower::RightCategories(HistNode const& node) const {
  auto const* cells = node.histogram + bins_.FeatureBegin()[node.best.feature];
  return RightCategoriesOf(gain_, bins_, node.best, cells, node.total.categories);
}

bool HistGrower::MayHaveChildren(HistNode const& node) const {
  return HessianOf(node.total.sum, gain_) >= kBelowTwice * gain_.min_child_weight && node.total.sum.hessian > 1;
}

void HistGrower::FindSplits(Pairs const& pairs) {
  workspace_->FindSplits(ctx_, task_, gain_, rows_->used, columns_.TreeSet(), pairs);
}

}  // namespace kauri
