#include "tree/exact/exact_level.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

namespace {

std::int32_t CategoryOf(ColumnEntry const& entry) { return static_cast<std::int32_t>(entry.value); }

/// Calls add(index of the category, sum, rows) for each category with entries. Entries and categories are both
/// ascending.
template <typename Add>
void SumByCategory(Span<ColumnEntry const> entries, FixedPair const* pairs, std::vector<std::int32_t> const& categories,
                   Add&& add) {
  auto at = categories.begin();
  for (auto const* entry = entries.begin(); entry != entries.end();) {
    auto const* const first = entry;
    FixedSum sum;
    for (; entry != entries.end() && entry->value == first->value; ++entry) sum += pairs[entry->row];
    at = std::lower_bound(at, categories.end(), CategoryOf(*first));
    add(static_cast<std::int32_t>(at - categories.begin()), sum, entry - first);
  }
}

/// Collects the categories with non-zero sums.
void CollectSums(Span<ColumnEntry const> entries, FixedPair const* pairs, std::vector<std::int32_t> const& categories,
                 std::vector<CategoryEntry>* sums) {
  sums->clear();
  SumByCategory(entries, pairs, categories, [&](std::int32_t index, FixedSum sum, std::int64_t) {
    if (!(sum == FixedSum{})) sums->push_back({index, sum});
  });
}

}  // namespace

SplitCandidate ScanCategories(GainParam const& param, CategoryTask const& task, SegmentView const& segment,
                              double floor, std::vector<CategoryEntry>* entries) {
  auto const& categories = task.lists[segment.feature];
  Span<ColumnEntry const> const of_node(segment.entries, static_cast<std::size_t>(segment.count));
  CategoryNode const node{segment.feature, static_cast<std::int32_t>(categories.size()), segment.total,
                          segment.node_gain, segment.bounds};
  auto const just_below = std::nextafter(floor, -std::numeric_limits<double>::infinity());
  if (!segment.limits.rows.IsOn()) {
    CollectSums(of_node, segment.pairs, categories, entries);
    return FindCategorySplit(param, task.rules, node, segment.limits, just_below, entries);
  }
  std::vector<CountedCategory> counted;
  SumByCategory(of_node, segment.pairs, categories, [&](std::int32_t index, FixedSum sum, std::int64_t n_rows) {
    counted.push_back({index, {sum, n_rows}});
  });
  return FindCategorySplit(param, task.rules, node, segment.limits, just_below, &counted);
}

std::vector<std::int32_t> RightCategoriesOf(GainParam const& param, CategoryTask const& task,
                                            SplitCandidate const& best, Span<ColumnEntry const> segment,
                                            FixedPair const* pairs) {
  std::vector<CategoryEntry> entries;
  auto const& categories = task.lists[best.feature];
  CollectSums(segment, pairs, categories, &entries);
  return RightCategories(param, task.rules, categories, best, &entries);
}

std::vector<ColumnEntry> LeftFirst(Span<ColumnEntry const> segment, std::vector<std::int32_t> const& right,
                                   std::int64_t* n_left) {
  std::vector<ColumnEntry> ordered(segment.begin(), segment.end());
  auto const middle = std::stable_partition(ordered.begin(), ordered.end(), [&](ColumnEntry const& entry) {
    return !std::binary_search(right.begin(), right.end(), CategoryOf(entry));
  });
  *n_left = middle - ordered.begin();
  return ordered;
}

}  // namespace kauri
