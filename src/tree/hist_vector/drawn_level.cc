#include "tree/hist_vector/drawn_level.h"

#include <algorithm>

#include "common/memory_size.h"
#include "common/threads/parallel_for.h"
#include "common/threads/threads.h"
#include "tree/growth/tree_common.h"
#include "tree/hist_vector/vector_scan.h"

namespace kauri {
namespace {

constexpr std::int64_t kSumsOfChunk = 1 << 22;  // 32 MiB

std::int64_t NumConditions(LevelConditions const& conditions) {
  return conditions.NumPlain() + static_cast<std::int64_t>(conditions.OfOthers().size());
}

/// Calls fn(first, nodes) for all nodes of the level, in chunks whose sums fit in memory. first: position of the chunk
/// in the level.
template <typename Fn>
void ForEachChunk(Span<DrawnLevelSearch::Node const> level, std::int64_t sums_of_node, Fn&& fn) {
  auto const n = ToSize(std::max<std::int64_t>(1, kSumsOfChunk / std::max<std::int64_t>(1, sums_of_node)));
  for (std::size_t first = 0; first < level.size(); first += n) {
    fn(first, {level.data() + first, std::min(n, level.size() - first)});
  }
}

}  // namespace

bool DrawnLevelSearch::MayUse(Node const& node, std::uint32_t feature) const {
  auto const& features = *node.features;
  return features.size() == n_features_ || std::binary_search(features.begin(), features.end(), feature);
}

/// Returns the loss change of a split whose left child has the sums `left`; minus infinity if the node cannot make the
/// split.
double DrawnLevelSearch::LossOf(LevelSplit const& split, VectorTotal const& node, SumRow left) const {
  auto const& gain = rules_.gain;
  auto const limit = gain.LimitOf(node.sums.data());
  if (limit.IsOn() && !limit.Allows(left[gain.RowsPlace()])) return -kInfinity;
  auto const sign = rules_.signs.empty() ? 0 : static_cast<int>(rules_.signs[split.best.feature]);
  double of_children = 0.0;
  double hessian_left = 0.0;
  double hessian_right = 0.0;
  for (std::int64_t output = 0; output < gain.NumOutputs(); ++output) {
    auto const param = split.is_categorical ? OfCategories(gain.Of(output)) : gain.Of(output);
    auto const left_sum = gain.SumOf(left, output);
    auto const right_sum = gain.SumOf(node.sums.data(), output) - left_sum;
    auto const bounds = node.bounds.empty() ? WeightBounds{} : node.bounds[output];
    of_children += OutputSplitGain(left_sum, right_sum, param, bounds, sign);
    hessian_left += HessianOf(left_sum, param);
    hessian_right += HessianOf(right_sum, param);
  }
  return CanHold(hessian_left) && CanHold(hessian_right) ? of_children - node.gain : -kInfinity;
}

/// Scores all plain columns at once; used if splits only depend on gains and hessians.
void DrawnLevelSearch::ScorePlain(Answers const& of_node, Scratch* scratch, double* losses) const {
  auto const& conditions = of_node.conditions;
  auto const& node = of_node.nodes[0].total;
  auto const n = conditions.NumPlain();
  auto const width = conditions.Width();
  auto const& gain = rules_.gain;
  scratch->sums.assign(ToSize(3 * n), 0.0);
  BoundarySums const of{scratch->sums.data(), scratch->sums.data() + n, scratch->sums.data() + 2 * n};
  for (std::int64_t output = 0; output < gain.NumOutputs(); ++output) {
    auto const* const gradients = of_node.sums + output * width;
    auto const* const hessians = of_node.sums + gain.HessianPlace(output) * width;
    AddOutput(gain.Of(output), {gradients, hessians, n, {}, gain.SumOf(node.sums.data(), output)}, of);
  }
  for (std::int64_t column = 0; column < n; ++column) {
    auto const can =
        conditions.IsAsked(column) && CanHold(of.hessian_left[column]) && CanHold(of.hessian_right[column]);
    losses[column] = can ? of.gain[column] - node.gain : -kInfinity;
  }
}

void DrawnLevelSearch::ScoreNode(Answers const& of_node, Scratch* scratch, double* losses) const {
  auto const& conditions = of_node.conditions;
  auto const& node = of_node.nodes[0];
  auto const n = conditions.NumPlain();
  scratch->left.resize(ToSize(NumSums()));
  auto const loss_of = [&](LevelCondition const& condition) {
    if (!MayUse(node, condition.split.best.feature)) return -kInfinity;
    condition.Left(node.total.sums.data(), of_node.sums, conditions.Width(), scratch->left);
    return LossOf(condition.split, node.total, scratch->left.data());
  };
  auto const is_plain = rules_.signs.empty() && node.total.bounds.empty() && rules_.gain.least_rows <= 1;
  if (is_plain && node.features->size() == n_features_) {
    ScorePlain(of_node, scratch, losses);
  } else {
    for (std::int64_t column = 0; column < n; ++column) {
      losses[column] = conditions.IsAsked(column) ? loss_of(conditions.Of(column)) : -kInfinity;
    }
  }
  std::transform(conditions.OfOthers().begin(), conditions.OfOthers().end(), losses + n, loss_of);
}

/// Adds the loss changes of the nodes to the scores.
void DrawnLevelSearch::ScoreChunk(Context const& ctx, Answers const& chunk) {
  auto const size = NumSums() * chunk.conditions.Width();
  auto const n = NumConditions(chunk.conditions);
  auto const n_nodes = static_cast<std::int64_t>(chunk.nodes.size());
  losses_.resize(std::max(losses_.size(), SizeInMemory(n_nodes * n)));
  auto const work = static_cast<double>(n_nodes) * static_cast<double>(size);
  ParallelFor(ThreadsFor(ctx, work), n_nodes, [&](std::int64_t node) {
    Answers const of_node{chunk.conditions, {chunk.nodes.data() + node, 1}, chunk.sums + node * size};
    ScoreNode(of_node, &scratch_[ThreadIndex()], losses_.data() + node * n);
  });
  for (std::int64_t node = 0; node < n_nodes; ++node) {
    auto const* const losses = losses_.data() + node * n;
    for (std::int64_t condition = 0; condition < n; ++condition) {
      if (losses[condition] != -kInfinity) scores_[condition] += losses[condition] - rules_.gamma;
    }
  }
}

LevelCondition DrawnLevelSearch::BestOf(Span<Node const> level, LevelConditions const& conditions) const {
  LevelCondition best;
  auto const compare = [&](LevelCondition condition, double score) {
    auto const feature = condition.split.best.feature;
    condition.split.best.loss_change = score - AddCost(0.0, rules_.costs, feature);
    if (!ReducesLoss(condition.split.best)) return;
    for (auto const& node : level) {
      if (node.total.noise.IsOn() && MayUse(node, feature)) condition.split.noise += node.total.noise.Of(feature);
    }
    auto const is_same = best.split.best.IsValid() && best.split.best.feature == feature;
    auto const is_better = is_same ? condition.split.best.loss_change > best.split.best.loss_change
                                   : ComesFirst(condition.split, best.split);
    if (is_better) best = condition;
  };
  auto const n = conditions.NumPlain();
  for (std::int64_t column = 0; column < n; ++column) {
    if (conditions.IsAsked(column)) compare(conditions.Of(column), scores_[column]);
  }
  auto const* score = scores_.data() + n;
  for (auto const& condition : conditions.OfOthers()) compare(condition, *score++);
  return best;
}

LevelSplit DrawnLevelSearch::Find(Context const& ctx, Span<Node const> level, ThresholdDraw const& draw,
                                  Span<std::uint32_t const> features, Summer const& sum) {
  if (level.empty() || features.empty()) return {};
  scratch_.resize(std::max(scratch_.size(), static_cast<std::size_t>(ctx.threads)));
  n_features_ = features.size();
  LevelConditions const conditions(rules_.cuts, plain_, draw, features);
  scores_.assign(ToSize(NumConditions(conditions)), 0.0);
  auto const n_sums = ToSize(NumSums());
  auto const sums_of_node = NumSums() * conditions.Width();
  std::int64_t const* sums = nullptr;  // sums of the last chunk
  std::size_t n_chunks = 0;
  ForEachChunk(level, sums_of_node, [&](std::size_t, Span<Node const> nodes) {
    sums = sum(conditions, nodes);
    ScoreChunk(ctx, {conditions, nodes, sums});
    ++n_chunks;
  });
  auto const best = BestOf(level, conditions);
  if (!best.split.best.IsValid()) return {};
  left_.resize(level.size() * n_sums);
  ForEachChunk(level, sums_of_node, [&](std::size_t first, Span<Node const> nodes) {
    auto const* of_node = n_chunks == 1 ? sums : sum(conditions, nodes);
    for (std::size_t node = 0; node < nodes.size(); ++node, of_node += sums_of_node) {
      best.Left(nodes[node].total.sums.data(), of_node, conditions.Width(),
                {left_.data() + (first + node) * n_sums, n_sums});
    }
  });
  return best.split;
}

bool DrawnLevelSearch::MakesSplit(LevelSplit const& split, std::size_t place, Node* node) const {
  node->best = {};
  if (!MayUse(*node, split.best.feature)) return false;
  auto const* const left = left_.data() + place * ToSize(NumSums());
  auto const loss = LossOf(split, node->total, left);
  if (loss == -kInfinity) return false;
  node->best = split.best;
  node->best.loss_change = loss;
  node->total.left.assign(node->total.sums.size(), 0);
  std::copy(left, left + NumSums(), node->total.left.begin());
  return true;
}

}  // namespace kauri
