#include "tree/hist_vector/vector_grower.h"

#include <algorithm>
#include <utility>

#include "common/parallel_for.h"
#include "tree/growth/tree_common.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 14;
constexpr std::size_t kHistogramBytes = std::size_t{1} << 30U;  // that may be kept for nodes yet to be split
constexpr double kBelowTwice = 2.0 * (1.0 - 1e-9);  // less than any rounding of the sums can turn into enough

/// Of all rows; those not sampled are zeros.
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
  return total;
}

/// The middle of both children's weights bounds what grows below them, in float32 as the weights.
void PassBounds(ChildWeights weights, int sign, WeightBounds* left, WeightBounds* right) {
  auto const middle =
      static_cast<double>((static_cast<float>(weights.left) + static_cast<float>(weights.right)) / 2.0F);
  if (sign > 0) left->upper = right->lower = middle;
  if (sign < 0) left->lower = right->upper = middle;
}

}  // namespace

VectorGrower::VectorGrower(Context const& ctx, TreeParam const& param, ConstraintRules const& rules,
                           TreeTask const& task, BinMatrix const& bins, VectorWorkspace* workspace, GrowingRows* rows,
                           Span<std::int32_t> leaf_of_row)
    : HistGrowth(ctx, param, rules, task, bins, rows, leaf_of_row),
      workspace_(workspace),
      gain_(MakeVectorGainParam(param, task.table, rules.HasMonotone())),
      finder_(gain_, bins, CategoryRulesOf(param), constraints_.Signs()),
      leaf_rate_(LeafRate(param, task)) {
  tree_ = Tree(static_cast<std::int32_t>(task.table.NumOutputs()));
  workspace_->Pool()->GiveBackAll();
  workspace_->SetFeatures(columns_.TreeSet());
}

void VectorGrower::SetNode(std::int32_t node, VectorTotal const& total, Span<double const> weights) {
  auto const first = static_cast<std::size_t>(node) * weights.size();
  for (std::size_t output = 0; output < weights.size(); ++output) {
    auto const weight = static_cast<float>(weights[output]);
    tree_.base_weight[first + output] = weight;
    tree_.SetLeafValue(node, weight * leaf_rate_, static_cast<std::int32_t>(output));
  }
  tree_.sum_hessian[node] = static_cast<float>(SumHessians(total.sums.data(), gain_));
}

VectorTotal VectorGrower::MakeRoot() {
  VectorTotal root;
  root.sums = SumTable(ctx_, task_.table);
  std::vector<double> weights;
  for (std::int64_t output = 0; output < gain_.NumOutputs(); ++output) {
    weights.push_back(LeafWeight(gain_.SumOf(root.sums.data(), output), gain_.Of(output)));
    if (!constraints_.Signs().empty()) root.bounds.emplace_back();
  }
  root.gain = VectorGain(root.sums.data(), gain_, root.bounds);
  SetNode(0, root, weights);
  return root;
}

void VectorGrower::MakeChildren(VectorNode const& parent, VectorNode* left, VectorNode* right) {
  auto const& from = parent.total;
  auto const sign = constraints_.SignOf(parent.best.feature);
  left->total.sums = from.left;
  right->total.sums = from.sums;
  SubtractSums(from.left.data(), from.left.size(), right->total.sums.data());
  std::vector<double> left_weights;
  std::vector<double> right_weights;
  for (std::int64_t output = 0; output < gain_.NumOutputs(); ++output) {
    auto const bounds = from.bounds.empty() ? WeightBounds{} : from.bounds[output];
    auto const weights = SplitWeights(gain_.SumOf(left->total.sums.data(), output),
                                      gain_.SumOf(right->total.sums.data(), output), gain_.Of(output), bounds, sign);
    left_weights.push_back(weights.left);
    right_weights.push_back(weights.right);
    if (from.bounds.empty()) continue;
    left->total.bounds.push_back(bounds);
    right->total.bounds.push_back(bounds);
    PassBounds(weights, sign, &left->total.bounds.back(), &right->total.bounds.back());
  }
  for (auto* child : {left, right}) {
    child->total.gain = VectorGain(child->total.sums.data(), gain_, child->total.bounds);
    SetNode(child->id, child->total, child == left ? left_weights : right_weights);
  }
  constraints_.AddSplit(tree_, parent.id);
}

bool VectorGrower::MayHaveChildren(VectorNode const& node) const {
  auto const mean = SumHessians(node.total.sums.data(), gain_) / static_cast<double>(gain_.NumOutputs());
  return mean > 0.0 && mean >= kBelowTwice * gain_.min_child_weight;
}

/// Histograms that nobody has the memory for are not kept: those of the children are then added up both.
void VectorGrower::FindSplits(Pairs const& pairs) {
  auto* const pool = workspace_->Pool();
  auto const n_kept = kHistogramBytes / pool->BufferBytes();
  for (std::size_t first = 0; first < pairs.size();) {
    auto const room = n_kept > pool->NumLent() ? n_kept - pool->NumLent() : 1;
    auto const n = std::min(pairs.size() - first, room);
    Span<typename Pairs::value_type const> const some(pairs.data() + first, n);
    workspace_->FindSplits(ctx_, task_.table, finder_, rows_->used, some);
    first += n;
    if (pool->NumLent() < n_kept) continue;
    for (auto const& pair : some) {
      Release(pair.small);
      if (pair.large != nullptr) Release(pair.large);
    }
  }
}

}  // namespace kauri
