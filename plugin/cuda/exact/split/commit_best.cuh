/// \file Updates the best candidates of pieces with the findings of a warp's lanes. IsLive decides whether
/// a segment has candidates.
#pragma once

#include "cuda/exact/entries/warp_tile.cuh"
#include "cuda/exact/split/evaluate_boundary.cuh"
#include "cuda/exact/split/find_split.h"
#include "tree/split_rules.h"

namespace kauri::cuda {

__device__ __forceinline__ bool IsAllowed(SplitTask const& task, std::int32_t node, std::int32_t feature) {
  if (task.allowed == nullptr) return true;
  return task.allowed[static_cast<std::int64_t>(node) * task.n_all_features + task.feature_ids[feature]] != 0;
}

/// Returns whether a segment of entries sorted by node belongs to an active node that may use the feature.
__device__ __forceinline__ bool IsLive(SplitTask const& task, std::uint32_t segment) {
  auto const node = task.table.NodeOf(segment);
  return node != task.table.n_nodes && IsAllowed(task, node, task.table.FeatureOf(segment));
}

/// Returns the gain that a node's children must exceed with a split on the feature.
__device__ __forceinline__ double GainToBeat(SplitTask const& task, std::int32_t node, std::int32_t feature) {
  auto const id = static_cast<std::uint32_t>(task.feature_ids[feature]);
  return AddCost(task.nodes[node].gain, task.costs, id);
}

__device__ __forceinline__ SegmentFacts FactsOf(SplitTask const& task, FixedSum present, std::int32_t node,
                                                std::int32_t feature) {
  SegmentFacts facts;
  facts.node = task.nodes[node];
  facts.node.gain = GainToBeat(task, node, feature);
  facts.missing = facts.node.sum - present;
  facts.sign = task.signs == nullptr ? 0 : task.signs[task.feature_ids[feature]];
  facts.both_ways = task.both_ways[feature] != 0;
  return facts;
}

__device__ __forceinline__ SegmentLimits LimitsOf(SplitTask const& task, std::uint32_t segment) {
  SegmentLimits limits;
  if (task.limits == nullptr) return limits;
  auto const node = task.table.NodeOf(segment);
  std::int64_t const begin = task.table.begin[segment];
  std::int64_t const end = task.table.begin[segment + 1];
  limits.of_node = task.limits[node];
  limits.of_node.rows.of_node = static_cast<std::int64_t>(task.node_rows[node]);
  limits.n_present = end - begin;
  if (!limits.of_node.draw.is_on || begin == end) return limits;
  auto const feature = static_cast<std::uint32_t>(task.feature_ids[task.table.FeatureOf(segment)]);
  limits.drawn = limits.of_node.draw.Between(feature, task.entries.values[begin], task.entries.values[end - 1]);
  return limits;
}

/// Returns the facts of a segment of entries that are sorted by node.
__device__ __forceinline__ SegmentFacts FactsOf(SplitTask const& task, SplitScratch const& scratch,
                                                std::uint32_t segment) {
  auto facts = FactsOf(task, scratch.segment_sums[segment], task.table.NodeOf(segment), task.table.FeatureOf(segment));
  facts.limits = LimitsOf(task, segment);
  return facts;
}

__device__ __forceinline__ unsigned long long WarpMax(unsigned long long value) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    unsigned long long const other = __shfl_xor_sync(kAllLanes, value, step);
    if (other > value) value = other;
  }
  return value;
}

/// Returns the lane with the best of the candidates that have loss change `top`: the first that sends missing rows
/// right, else the last. Thresholds ascend with the lanes, so this is IsBetterInSegment.
__device__ __forceinline__ int WinnerLane(SegmentCandidate const& candidate, bool is_top) {
  unsigned const right = __ballot_sync(kAllLanes, is_top && candidate.state == SegmentCandidate::kDefaultRight);
  unsigned const left = __ballot_sync(kAllLanes, is_top && candidate.state == SegmentCandidate::kDefaultLeft);
  return right != 0 ? __ffs(static_cast<int>(right)) - 1 : 31 - __clz(static_cast<int>(left));
}

/// Raises a node's floor. Losses are positive, so their bits ascend with them.
__device__ __forceinline__ void RaiseFloor(SplitTask const& task, std::int32_t node, double loss_change) {
  atomicMax(reinterpret_cast<unsigned long long*>(task.floors + node),
            static_cast<unsigned long long>(__double_as_longlong(loss_change)));
}

/// Commits the lanes' candidates and raises the node's floor. All lanes of the warp call it. A lane's candidate belongs
/// to `piece`, which only this warp writes, of `node`. Thresholds ascend with the lanes within a piece.
__device__ __forceinline__ void CommitBest(SplitTask const& task, SegmentCandidate* piece_best, std::int64_t piece,
                                           std::int32_t node, SegmentCandidate const& candidate) {
  bool const has_candidate = candidate.state != SegmentCandidate::kNone;
  unsigned waiting = __ballot_sync(kAllLanes, has_candidate);
  while (waiting != 0) {
    std::int64_t const served = __shfl_sync(kAllLanes, piece, __ffs(static_cast<int>(waiting)) - 1);
    bool const mine = has_candidate && piece == served;
    unsigned long long const bits =
        mine ? static_cast<unsigned long long>(__double_as_longlong(candidate.loss_change)) : 0;
    unsigned long long const top = WarpMax(bits);
    bool const is_top = mine && bits == top;
    int const winner = WinnerLane(candidate, is_top);
    if (Lane() == winner && IsBetterInSegment(candidate, piece_best[piece])) {
      piece_best[piece] = candidate;
      RaiseFloor(task, node, candidate.loss_change);
    }
    waiting &= ~__ballot_sync(kAllLanes, mine);
  }
  __syncwarp();
}

/// Returns the current floor of a node, which other blocks raise too.
__device__ __forceinline__ double FloorOf(SplitTask const& task, std::int32_t node) {
  return __ldcg(task.floors + node);
}

}  // namespace kauri::cuda
