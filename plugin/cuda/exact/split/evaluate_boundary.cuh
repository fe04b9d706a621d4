/// \file The candidates of exact split finding on the device, the same as in the CPU's exact method
/// (src/tree/exact/exact_scan.h).
///
/// Nearly every candidate is far below the loss change that its node is known to reach. Such candidates are screened
/// out in float32, without a division: 30 instructions instead of the 150 of the exact float64 formula.
///
/// CommitBest updates the best candidates of pieces with the findings of a warp's lanes. IsLive decides whether a
/// segment has candidates.
#pragma once

#include <cfloat>
#include <cmath>

#include "cuda/exact/entries/exact_types.h"
#include "cuda/exact/entries/warp_tile.cuh"
#include "cuda/exact/split/find_split.h"
#include "tree/split_rules.h"

namespace kauri::cuda {

/// Limits on the splits of a segment besides their gain. None by default.
struct SegmentLimits {
  SplitLimits of_node;
  std::int64_t n_present = 0;  ///< entries
  double drawn = 0.0;          ///< the drawn threshold, if thresholds are random

  __device__ bool Allows(std::int64_t n_left) const { return !of_node.rows.IsOn() || of_node.rows.Allows(n_left); }
  __device__ std::int64_t NumMissing() const { return of_node.rows.of_node - n_present; }
  __device__ bool IsLookedAt(float low, float high) const {
    return !of_node.draw.is_on || (static_cast<double>(low) <= drawn && drawn < static_cast<double>(high));
  }
};

/// The facts about a segment that a candidate needs.
struct SegmentFacts {
  NodeTotals node;   ///< its gain is what a split must beat, with the cost of the feature
  FixedSum missing;  ///< sum of the node's rows that lack the feature
  int sign;          ///< the feature's monotone constraint
  bool both_ways;    ///< the column lacks values and has more than one, so missing rows may also go right
  SegmentLimits limits = {};

  __device__ bool HasMissing() const {
    if (limits.of_node.rows.IsOn()) return limits.NumMissing() > 0;
    return missing.gradient != 0 || missing.hessian != 0;
  }
};

/// Slack of the float32 screen, whose rounding is below 1e-6: eight operations on positive terms. With twice that as
/// slack, no candidate that the exact formula accepts is left out.
constexpr double kScreenSlack = 1.0 - 2e-6;
/// Below this value, squares may have lost bits to float32's smallest numbers.
constexpr float kScreenSmallest = 1e-15F;

/// Returns the least gain(left) + gain(right) for a loss change of `floor`; rounded down.
__device__ __forceinline__ float NeededGain(double node_gain, double floor) {
  return __double2float_rd((floor + node_gain) * kScreenSlack);
}

/// Returns false only if the split cannot reach the needed gain.
__device__ __forceinline__ bool MayReach(Screen const& screen, FixedSum total, FixedSum left, float needed) {
  FixedSum const right = total - left;
  float const gradient_l = __ll2float_rn(left.gradient) * screen.unit_gradient;
  float const gradient_r = __ll2float_rn(right.gradient) * screen.unit_gradient;
  float const below_l = __fmaf_rn(__ll2float_rn(left.hessian), screen.unit_hessian, screen.lambda);
  float const below_r = __fmaf_rn(__ll2float_rn(right.hessian), screen.unit_hessian, screen.lambda);
  float const gain = __fmaf_rn(gradient_l * gradient_l, below_r, gradient_r * gradient_r * below_l);
  float const least = needed * (below_l * below_r);
  return !(gain < least && least > kScreenSmallest);
}

/// The data of a segment that the screen needs: less than SegmentFacts, so that it stays in registers.
struct SegmentScreen {
  FixedSum total;    ///< sum of the node
  FixedSum missing;  ///< sum of the node's rows that lack the feature
  float needed;      ///< NeededGain, for the floor when it was last read
  bool right_first;  ///< missing rows may go right
  bool left_too;     ///< and left, with other sums; or only left

  __device__ SegmentScreen() = default;
  __device__ SegmentScreen(SegmentFacts const& facts, double floor)
      : total(facts.node.sum),
        missing(facts.missing),
        needed(NeededGain(facts.node.gain, floor)),
        right_first(facts.both_ways),
        left_too(!facts.both_ways || facts.missing.gradient != 0 || facts.missing.hessian != 0) {}
  /// Returns whether a boundary needs the exact formula.
  __device__ __forceinline__ bool MayReach(Screen const& screen, FixedSum left) const {
    return (right_first && cuda::MayReach(screen, total, left, needed)) ||
           (left_too && cuda::MayReach(screen, total, left + missing, needed));
  }
};

/// A split before its gain is computed.
struct Proposal {
  FixedSum left;
  float threshold;
  std::uint32_t state;  ///< SegmentCandidate::state
};

/// Keeps the split if it is the best so far and its loss change is at least `floor`.
__device__ __forceinline__ void Consider(GainParam const& param, SegmentFacts const& facts, Proposal const& proposal,
                                         double floor, SegmentCandidate* best) {
  FixedSum const right = facts.node.sum - proposal.left;
  if (!HasEnoughHessian(proposal.left, param) || !HasEnoughHessian(right, param)) return;
  SegmentCandidate candidate;
  candidate.loss_change = SplitGain(proposal.left, right, param, facts.node.bounds, facts.sign) - facts.node.gain;
  candidate.left = proposal.left;
  candidate.threshold = proposal.threshold;
  candidate.state = proposal.state;
  if (candidate.loss_change >= floor && IsBetterInSegment(candidate, *best)) *best = candidate;
}

/// A boundary between neighbouring values low < high of a segment; `left` is the sum up to and including `low`.
struct Boundary {
  FixedSum left;
  float low;
  float high;
  std::int64_t n_left = 0;  ///< entries up to and including `low`, if rows are limited
};

__device__ __forceinline__ void ConsiderBoundary(GainParam const& param, SegmentFacts const& facts,
                                                 Boundary const& boundary, double floor, SegmentCandidate* best) {
  auto const& limits = facts.limits;
  if (!limits.IsLookedAt(boundary.low, boundary.high)) return;
  float const threshold = MidpointThreshold(boundary.low, boundary.high);
  if (facts.both_ways && limits.Allows(boundary.n_left)) {
    Consider(param, facts, {boundary.left, threshold, SegmentCandidate::kDefaultRight}, floor, best);
  }
  // Without missing rows both directions have the same sums, and right is the better of equals.
  if ((!facts.both_ways || facts.HasMissing()) && limits.Allows(boundary.n_left + limits.NumMissing())) {
    Consider(param, facts, {boundary.left + facts.missing, threshold, SegmentCandidate::kDefaultLeft}, floor, best);
  }
}

/// Considers the splits with all present rows on one side and the missing on the other; `smallest` and `largest` are
/// the segment's end values.
__device__ __forceinline__ void ConsiderMissingAlone(GainParam const& param, SegmentFacts const& facts, float smallest,
                                                     float largest, double floor, SegmentCandidate* best) {
  if (!facts.limits.Allows(facts.limits.n_present)) return;
  FixedSum const present = facts.node.sum - facts.missing;
  if (facts.both_ways && largest < FLT_MAX) {
    float const beyond = fminf(largest + (fabsf(largest) + 1e-6F), FLT_MAX);
    Consider(param, facts, {present, beyond, SegmentCandidate::kDefaultRight}, floor, best);
  }
  float const below = fmaxf(smallest - (fabsf(smallest) + 1e-6F), -FLT_MAX);
  Consider(param, facts, {facts.missing, below, SegmentCandidate::kDefaultLeft}, floor, best);
}

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
