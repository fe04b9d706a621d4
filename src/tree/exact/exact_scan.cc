#include "tree/exact/exact_scan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tree/categories/category_split.h"
#include "tree/exact/exact_boundary.h"

namespace kauri {
namespace {

constexpr float kBeyondMargin = 1e-6F;
constexpr float kLargest = std::numeric_limits<float>::max();

float ThresholdBeyond(float largest) { return std::min(largest + (std::fabs(largest) + kBeyondMargin), kLargest); }

float ThresholdBelow(float smallest) { return std::max(smallest - (std::fabs(smallest) + kBeyondMargin), -kLargest); }

/// Of the first n entries.
FixedSum SumEntries(SegmentView const& segment, std::int64_t n) {
  FixedSum sum;
  for (std::int64_t i = 0; i < n; ++i) {
    if (segment.sums == nullptr) {
      sum += segment.pairs[segment.entries[i].row];
    } else {
      sum += segment.sums[i];
    }
  }
  return sum;
}

/// The boundaries that leave both children enough rows, n_missing of which go left; either best may be null.
void ScanAllowed(GainParam const& param, SegmentView const& segment, CountedSum const& missing_left,
                 BestBoundary* upwards, BestBoundary* downwards) {
  auto const range = AllowedBoundaries(segment.rows, segment.count - 1,
                                       [&](std::int64_t last) { return last + 1 + missing_left.n_rows; });
  if (range.Size() == 0) return;
  auto allowed = segment;
  allowed.entries += range.first;
  allowed.count = range.Size() + 1;
  allowed.before = SumEntries(segment, range.first);
  ScanBoundaries(param, allowed, missing_left.sum, upwards, downwards);
  for (auto* best : {upwards, downwards}) {
    if (best != nullptr && best->last >= 0) best->last += range.first;
  }
}

void KeepBetter(SplitCandidate const& candidate, SplitCandidate* best) {
  if (IsBetter(candidate, *best)) *best = candidate;
}

SplitCandidate AtBoundary(SegmentView const& segment, BestBoundary const& boundary, bool default_left) {
  if (boundary.last < 0) return {};
  auto const* entry = segment.entries + boundary.last;
  return {boundary.loss_change, segment.feature, MidpointThreshold(entry[0].value, entry[1].value),
          default_left,         boundary.left,   segment.total - boundary.left};
}

/// All present rows on one side, the missing on the other.
void ConsiderMissingAlone(GainParam const& param, SegmentView const& segment, FixedSum present, double floor,
                          SplitCandidate* best) {
  auto const missing = segment.total - present;
  if (!HasEnoughHessian(present, param) || !HasEnoughHessian(missing, param)) return;
  if (segment.rows.IsOn() && !segment.rows.Allows(segment.count)) return;
  auto const gain = [&](FixedSum left, FixedSum right) {
    return SplitGain(left, right, param, segment.bounds, segment.sign);
  };
  auto const largest = segment.entries[segment.count - 1].value;
  if (segment.mode == ScanMode::kBoth && largest < kLargest) {
    auto const loss_change = gain(present, missing) - segment.node_gain;
    if (loss_change >= floor) {
      KeepBetter({loss_change, segment.feature, ThresholdBeyond(largest), false, present, missing}, best);
    }
  }
  auto const loss_change = gain(missing, present) - segment.node_gain;
  if (loss_change >= floor) {
    auto const threshold = ThresholdBelow(segment.entries[0].value);
    KeepBetter({loss_change, segment.feature, threshold, true, missing, present}, best);
  }
}

}  // namespace

SplitCandidate ScanSegment(GainParam const& param, SegmentView const& segment, double floor) {
  BestBoundary upwards;
  BestBoundary downwards;
  upwards.loss_change = downwards.loss_change = floor;
  auto const present = segment.has_missing ? SumEntries(segment, segment.count) : segment.total;
  auto const goes_up = segment.mode == ScanMode::kBoth;
  auto const goes_down = segment.has_missing || !goes_up;
  auto* const up = goes_up ? &upwards : nullptr;
  auto* const down = goes_down ? &downwards : nullptr;
  auto const missing = segment.total - present;
  if (segment.rows.IsOn()) {
    if (goes_up) ScanAllowed(param, segment, {}, up, nullptr);
    if (goes_down) ScanAllowed(param, segment, {missing, segment.rows.of_node - segment.count}, nullptr, down);
  } else {
    ScanBoundaries(param, segment, missing, up, down);
  }
  auto best = AtBoundary(segment, upwards, false);
  KeepBetter(AtBoundary(segment, downwards, true), &best);
  if (segment.has_missing) ConsiderMissingAlone(param, segment, present, floor, &best);
  return best;
}

}  // namespace kauri
