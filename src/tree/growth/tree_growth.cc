#include "tree/growth/tree_growth.h"

#include <algorithm>

#include "tree/growth/tree_common.h"

namespace kauri {
namespace {

/// Returns the constraints of a tree: without signs if they bind none of its outputs.
ConstraintRules RulesOfTree(GrowthRules const& rules) {
  auto const& of_output = rules.place.free_outputs;
  auto of_tree = rules.constraints;
  auto const is_free = [](std::uint8_t output) { return output != 0; };
  if (!of_output.empty() && std::all_of(of_output.begin(), of_output.end(), is_free)) of_tree.signs.clear();
  return of_tree;
}

}  // namespace

TreeGrowth::TreeGrowth(Context const& ctx, GrowthRules const& rules, std::int64_t n_features)
    : ctx_(ctx),
      param_(rules.param),
      n_rows_(rules.place.n_rows),
      leaf_rate_(LeafRate(rules.param, rules.place)),
      columns_(rules.param, ctx.seed, rules.place, n_features),
      constraints_(RulesOfTree(rules), n_features),
      costs_(rules.place.feature_costs.begin(), rules.place.feature_costs.end()),
      max_depth_(rules.param.max_depth == 0 ? kDepthCap : rules.param.max_depth) {}

ScalarGrowth::ScalarGrowth(Context const& ctx, GrowthRules const& rules, GradientUnit unit, std::int64_t n_features)
    : TreeGrowth(ctx, rules, n_features), gain_(MakeGainParam(rules.param, unit, !constraints_.Signs().empty())) {}

NodeTotal ScalarGrowth::TotalOf(std::int32_t node, FixedSum sum) const {
  auto const bounds = constraints_.BoundsOf(node);
  NodeTotal total{sum, NodeGain(sum, gain_, bounds), bounds, constraints_.Signs(), CategoryRulesOf(param_)};
  total.rows.least = param_.min_data_in_leaf;
  total.draw = DrawOf(node);
  total.costs = costs_;
  total.noise = NoiseOf(node);
  return total;
}

void ScalarGrowth::SetNoise(TreePlace const& place, FixedSum sum, double squares) {
  auto const in_units = squares * gain_.unit.gradient * gain_.unit.gradient;
  noise_deviation_ = NoiseDeviation(param_, place, in_units / HessianOf(sum, gain_));
}

NodeTotal ScalarGrowth::SetRoot(FixedSum sum) {
  gain_.categories = MakeCategoryGain(param_, HessianOf(sum, gain_), n_rows_);
  SetNode(sum, gain_, leaf_rate_, 0, &tree_);
  return TotalOf(0, sum);
}

NodeTotal ScalarGrowth::SetRoot(TreeTask const& task) {
  auto const sum = SumGradients(ctx_, task);
  if (HasNoise() && sum.hessian > 0) SetNoise(task.place, sum, SumSquares(ctx_, task).front());
  return SetRoot(sum);
}

void ScalarGrowth::Split(std::int32_t node, SplitCandidate const& split, Span<std::int32_t const> right_categories) {
  tree_.ExpandNode(node, {split.feature, split.threshold, split.default_left, static_cast<float>(split.loss_change),
                          right_categories});
  auto const bounds = constraints_.BoundsOf(node);
  auto const gain = right_categories.empty() ? gain_ : OfCategories(gain_);
  SetNode(split.left, gain, leaf_rate_, tree_.left[node], &tree_, bounds);
  SetNode(split.right, gain, leaf_rate_, tree_.right[node], &tree_, bounds);
  constraints_.AddSplit(tree_, node);
  PayFor(split);
}

std::pair<NodeTotal, NodeTotal> ScalarGrowth::SplitNode(std::int32_t node, NodeTotal const&,
                                                        SplitCandidate const& split,
                                                        Span<std::int32_t const> right_categories) {
  Split(node, split, right_categories);
  return {TotalOf(tree_.left[node], split.left), TotalOf(tree_.right[node], split.right)};
}

}  // namespace kauri
