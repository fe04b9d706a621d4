#include "tree/exact/exact_level.h"

#include <algorithm>

namespace kauri {
namespace {

/// A smaller loss change does not make a split, however it is rounded to float32.
constexpr double kLeastLossChange = 0.99 * static_cast<double>(kMinLossChange);

/// Raises *reached to `value` if that is larger.
void RaiseTo(double value, std::atomic<double>* reached) {
  auto seen = reached->load(std::memory_order_relaxed);
  while (seen < value && !reached->compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

}  // namespace

ExactLevel::ExactLevel(LevelTask const& task) : task_(task), reached_(task.nodes.size()) {
  for (auto const& node : task.nodes) {
    bounds_.push_back(task.constraints->BoundsOf(node.id));
    node_gain_.push_back(NodeGain(node.sum, task.gain, bounds_.back()));
    noise_.push_back({task.noise_deviation, task.sampler->NoiseKey(node.id)});
  }
  for (auto& loss_change : reached_) loss_change.store(kLeastLossChange, std::memory_order_relaxed);
  level_set_ = task.sampler->LevelSet(task.depth);
  auto const samples = task.sampler->SamplesNodes();
  if (!samples && !task.constraints->LimitsFeatures()) return;
  for (auto const& node : task.nodes) {
    auto const drawn = samples ? task.sampler->NodeSet(task.depth, node.id) : level_set_;
    node_sets_.push_back(task.constraints->AllowedOf(node.id, drawn));
  }
}

bool ExactLevel::MayUse(std::uint32_t feature, std::size_t node) const {
  auto const& ascending = node_sets_.empty() ? level_set_ : node_sets_[node];
  return std::binary_search(ascending.begin(), ascending.end(), feature);
}

SegmentView ExactLevel::SegmentOf(std::uint32_t feature, std::size_t node) const {
  SegmentView segment;
  segment.pairs = task_.rows->Pairs();
  segment.total = task_.nodes[node].sum;
  segment.node_gain = AddCost(node_gain_[node], task_.costs, feature);
  segment.bounds = bounds_[node];
  segment.sign = task_.constraints->SignOf(feature);
  segment.limits.rows = {task_.least_rows, task_.nodes[node].range.Size()};
  if (task_.draws_thresholds) segment.limits.draw = {true, task_.sampler->ThresholdKey(task_.nodes[node].id)};
  segment.feature = feature;
  return segment;
}

void ExactLevel::Keep(SplitCandidate const& candidate, std::size_t node, SplitCandidate* best) const {
  auto const& noise = noise_[node];
  if (noise.IsOn() && !noise.Admits(candidate)) return;
  if (!noise.IsBetter(candidate, *best)) return;
  *best = candidate;
  // With noise, a candidate with less gain may win.
  if (!noise.IsOn()) RaiseTo(candidate.loss_change, &reached_[node]);
}

void ExactLevel::Merge(std::vector<std::vector<SplitCandidate>> const& best,
                       std::vector<SplitCandidate>* merged) const {
  for (auto const& of_thread : best) {
    for (std::size_t node = 0; node < merged->size(); ++node) {
      if (noise_[node].IsBetter(of_thread[node], (*merged)[node])) (*merged)[node] = of_thread[node];
    }
  }
}

}  // namespace kauri
