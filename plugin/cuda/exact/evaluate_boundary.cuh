/// \file The candidates of exact split finding, as the CPU's exact method has them (src/tree/exact_scan.h), on the
/// device.
#pragma once

#include <cfloat>
#include <cmath>

#include "cuda/exact/exact_types.h"

namespace kauri::cuda {

/// Everything about a segment that a candidate needs.
struct SegmentFacts {
  NodeTotals node;
  FixedSum missing;  ///< sum of the node's rows that lack the feature
  double floor;      ///< a loss change that the node is known to reach: candidates below it need no exact value
  bool both_ways;    ///< the column lacks values and has more than one: missing rows may also go right
};

/// A candidate is evaluated exactly when its gain, computed without a division, is within this of what must be reached:
/// far more than the rounding of either, so that no candidate which the exact formula prefers is ever left out.
constexpr double kScreenSlack = 1.0 - 1e-12;

/// False when the split cannot reach `loss_change`. Two float64 divisions and their pipeline are what a candidate
/// costs.
__device__ __forceinline__ bool MayReach(GainParam const& param, SegmentFacts const& facts, FixedSum left,
                                         FixedSum right, double loss_change) {
  if (param.max_delta_step != 0.0) return true;  // only without it the gain is a quotient
  double const gradient_l = ThresholdL1(GradientOf(left, param), param.alpha);
  double const gradient_r = ThresholdL1(GradientOf(right, param), param.alpha);
  double const below_l = HessianOf(left, param) + param.lambda;
  double const below_r = HessianOf(right, param) + param.lambda;
  double const gain = gradient_l * gradient_l * below_r + gradient_r * gradient_r * below_l;
  return gain >= (loss_change + facts.node.gain) * kScreenSlack * (below_l * below_r);
}

__device__ __forceinline__ void Consider(GainParam const& param, SegmentFacts const& facts, FixedSum left,
                                         float threshold, std::uint32_t state, SegmentCandidate* best) {
  FixedSum const right = facts.node.sum - left;
  if (!HasEnoughHessian(left, param) || !HasEnoughHessian(right, param)) return;
  bool const has_best = best->state != SegmentCandidate::kNone && best->loss_change > facts.floor;
  if (!MayReach(param, facts, left, right, has_best ? best->loss_change : facts.floor)) return;
  SegmentCandidate candidate;
  candidate.loss_change = LeafGain(left, param) + LeafGain(right, param) - facts.node.gain;
  candidate.left = left;
  candidate.threshold = threshold;
  candidate.state = state;
  if (IsBetterInSegment(candidate, *best)) *best = candidate;
}

/// The split between the neighbouring values low < high of a segment; `left` is the sum up to and including `low`.
__device__ __forceinline__ void ConsiderBoundary(GainParam const& param, SegmentFacts const& facts, FixedSum left,
                                                 float low, float high, SegmentCandidate* best) {
  float const threshold = MidpointThreshold(low, high);
  bool const has_missing = facts.missing.gradient != 0 || facts.missing.hessian != 0;
  if (facts.both_ways) Consider(param, facts, left, threshold, SegmentCandidate::kDefaultRight, best);
  // Without missing rows both directions have the same sums, and right is the better of equals.
  if (!facts.both_ways || has_missing) {
    Consider(param, facts, left + facts.missing, threshold, SegmentCandidate::kDefaultLeft, best);
  }
}

/// All present rows on one side, the missing on the other; `smallest` and `largest` are the segment's end values.
__device__ __forceinline__ void ConsiderMissingAlone(GainParam const& param, SegmentFacts const& facts, float smallest,
                                                     float largest, SegmentCandidate* best) {
  FixedSum const present = facts.node.sum - facts.missing;
  if (facts.both_ways && largest < FLT_MAX) {
    float const beyond = fminf(largest + (fabsf(largest) + 1e-6F), FLT_MAX);
    Consider(param, facts, present, beyond, SegmentCandidate::kDefaultRight, best);
  }
  float const below = fmaxf(smallest - (fabsf(smallest) + 1e-6F), -FLT_MAX);
  Consider(param, facts, facts.missing, below, SegmentCandidate::kDefaultLeft, best);
}

}  // namespace kauri::cuda
