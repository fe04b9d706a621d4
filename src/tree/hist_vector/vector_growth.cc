#include "tree/hist_vector/vector_growth.h"

#include <utility>

#include "collective/reduce.h"
#include "common/threads/parallel_for.h"
#include "tree/growth/tree_common.h"
#include "tree/hist_vector/vector_adder.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 14;

/// Returns the sums over all rows of all ranks. Rows that were not sampled are zeros.
std::vector<std::int64_t> SumTable(Context const& ctx, GradientTableView const& table) {
  auto const n_rows = static_cast<std::int64_t>(table.values.size()) / table.stride;
  std::vector<std::vector<std::int64_t>> of_block(NumBlocks(n_rows, kRowsPerBlock));
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
    std::vector<std::int64_t> sums(table.stride, 0);
    for (auto row = begin; row < end; ++row) {
      auto const* values = table.values.data() + row * table.stride;
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += values[i];
    }
    of_block[block] = std::move(sums);
  });
  std::vector<std::int64_t> total(table.stride, 0);
  for (auto const& sums : of_block) AddSums(sums.data(), sums.size(), total.data());
  SumOverRanks(ctx, total);
  return total;
}

/// Bounds the weights below both children by the middle of the children's weights, in float32 like the weights.
void PassBounds(ChildWeights weights, int sign, WeightBounds* left, WeightBounds* right) {
  auto const middle =
      static_cast<double>((static_cast<float>(weights.left) + static_cast<float>(weights.right)) / 2.0F);
  if (sign > 0) left->upper = right->lower = middle;
  if (sign < 0) left->lower = right->upper = middle;
}

}  // namespace

VectorGrowth::VectorGrowth(Context const& ctx, GrowthRules const& rules, GradientTableView const& table,
                           std::int64_t n_features)
    : TreeGrowth(ctx, rules, n_features),
      gain_(MakeVectorGainParam(rules.param, table, !constraints_.Signs().empty(), rules.place.free_outputs)) {
  tree_ = Tree(static_cast<std::int32_t>(table.NumOutputs()));
}

bool VectorGrowth::MaySplit(VectorTotal const& total, std::int32_t depth) const {
  auto const mean = SumHessians(total.sums.data(), gain_) / static_cast<double>(gain_.NumOutputs());
  return TreeGrowth::MaySplit(mean, depth);
}

void VectorGrowth::SetNode(std::int32_t node, VectorTotal const& total, Span<double const> weights) {
  auto const first = static_cast<std::size_t>(node) * weights.size();
  for (std::size_t output = 0; output < weights.size(); ++output) {
    auto const weight = static_cast<float>(weights[output]);
    tree_.base_weight[first + output] = weight;
    tree_.SetLeafValue(node, weight * leaf_rate_, static_cast<std::int32_t>(output));
  }
  tree_.sum_hessian[node] = static_cast<float>(SumHessians(total.sums.data(), gain_));
}

void VectorGrowth::SetNoise(TreePlace const& place, std::vector<double> const& squares,
                            std::vector<std::int64_t> const& sums) {
  double chance_gain = 0.0;
  for (std::int64_t output = 0; output < gain_.NumOutputs(); ++output) {
    auto const& param = gain_.Of(output);
    auto const hessian = HessianOf(gain_.SumOf(sums.data(), output), param);
    if (hessian > 0.0) chance_gain += squares[output] * param.unit.gradient * param.unit.gradient / hessian;
  }
  noise_deviation_ = NoiseDeviation(param_, place, chance_gain);
}

VectorTotal VectorGrowth::SetRoot(std::vector<std::int64_t> sums) {
  VectorTotal root;
  root.sums = std::move(sums);
  auto const hessians = SumHessians(root.sums.data(), gain_);
  gain_.categories = MakeCategoryGain(param_, hessians, n_rows_);
  for (auto& output : gain_.outputs) output.categories = gain_.categories;
  std::vector<double> weights;
  for (std::int64_t output = 0; output < gain_.NumOutputs(); ++output) {
    auto const weight = LeafWeight(gain_.SumOf(root.sums.data(), output), gain_.Of(output));
    weights.push_back(gain_.HasEnough(hessians) ? weight : 0.0);  // the rule of LeafWeight for one output
    if (!constraints_.Signs().empty()) root.bounds.emplace_back();
  }
  root.draw = DrawOf(0);
  root.costs = costs_;
  root.noise = NoiseOf(0);
  root.gain = VectorGain(root.sums.data(), gain_, root.bounds);
  SetNode(0, root, weights);
  return root;
}

VectorTotal VectorGrowth::SetRoot(TreeTask const& task) {
  auto sums = SumTable(ctx_, task.table);
  if (HasNoise()) SetNoise(task.place, SumSquares(ctx_, task), sums);
  return SetRoot(std::move(sums));
}

std::pair<VectorTotal, VectorTotal> VectorGrowth::SplitNode(std::int32_t node, VectorTotal const& total,
                                                            SplitCandidate const& split,
                                                            Span<std::int32_t const> right_categories) {
  tree_.ExpandNode(node, {split.feature, split.threshold, split.default_left, static_cast<float>(split.loss_change),
                          right_categories});
  VectorTotal left;
  VectorTotal right;
  auto const sign = constraints_.SignOf(split.feature);
  left.sums = total.left;
  right.sums = total.sums;
  SubtractSums(total.left.data(), total.left.size(), right.sums.data());
  std::vector<double> left_weights;
  std::vector<double> right_weights;
  left_weights.reserve(gain_.outputs.size());
  right_weights.reserve(gain_.outputs.size());
  for (std::int64_t output = 0; output < gain_.NumOutputs(); ++output) {
    auto const bounds = total.bounds.empty() ? WeightBounds{} : total.bounds[output];
    auto const gain = right_categories.empty() ? gain_.Of(output) : OfCategories(gain_.Of(output));
    auto const weights =
        SplitWeights(gain_.SumOf(left.sums.data(), output), gain_.SumOf(right.sums.data(), output), gain, bounds, sign);
    left_weights.push_back(weights.left);
    right_weights.push_back(weights.right);
    if (total.bounds.empty()) continue;
    left.bounds.push_back(bounds);
    right.bounds.push_back(bounds);
    if (gain.monotone) PassBounds(weights, sign, &left.bounds.back(), &right.bounds.back());
  }
  left.costs = right.costs = costs_;
  left.draw = DrawOf(tree_.left[node]);
  right.draw = DrawOf(tree_.right[node]);
  left.noise = NoiseOf(tree_.left[node]);
  right.noise = NoiseOf(tree_.right[node]);
  left.gain = VectorGain(left.sums.data(), gain_, left.bounds);
  right.gain = VectorGain(right.sums.data(), gain_, right.bounds);
  SetNode(tree_.left[node], left, left_weights);
  SetNode(tree_.right[node], right, right_weights);
  constraints_.AddSplit(tree_, node);
  PayFor(split);
  return {std::move(left), std::move(right)};
}

}  // namespace kauri
