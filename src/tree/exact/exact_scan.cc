#include "tree/exact/exact_scan.h"

#include <algorithm>

#include "tree/categories/category_split.h"
#include "tree/split_rules.h"

namespace kauri {
namespace {

/// Returns the sum of the first n entries.
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

/// Returns the boundary at the random threshold.
BoundaryRange DrawnBoundary(SegmentView const& segment) {
  auto const* const end = segment.entries + segment.count;
  auto const value = segment.limits.draw.Between(segment.feature, segment.entries->value, end[-1].value);
  auto const* const first_right = std::partition_point(
      segment.entries, end, [&](ColumnEntry const& entry) { return static_cast<double>(entry.value) <= value; });
  if (first_right == end) return {0, 0};  // one value, or two that are almost equal
  auto const last = first_right - segment.entries - 1;
  return {last, last + 1};
}

/// Scans the boundaries within the limits, where `missing_left` goes left in addition; either best may be null.
void ScanWithinLimits(GainParam const& param, SegmentView const& segment, CountedSum const& missing_left,
                      BestBoundary* upwards, BestBoundary* downwards) {
  auto const& [rows, draw] = segment.limits;
  auto range = draw.is_on ? DrawnBoundary(segment) : BoundaryRange{0, segment.count - 1};
  if (rows.IsOn()) {
    auto const allowed =
        AllowedBoundaries(rows, range.end, [&](std::int64_t last) { return last + 1 + missing_left.n_rows; });
    range = {std::max(range.first, allowed.first), allowed.end};
  }
  if (range.Size() == 0) return;
  auto within = segment;
  within.entries += range.first;
  if (segment.sums != nullptr) within.sums += range.first;
  within.count = range.Size() + 1;
  within.before = SumEntries(segment, range.first);
  ScanBoundaries(param, within, missing_left.sum, upwards, downwards);
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

/// Considers sending all present rows to one side and the missing rows to the other.
void ConsiderMissingAlone(GainParam const& param, SegmentView const& segment, FixedSum present, double floor,
                          SplitCandidate* best) {
  auto const missing = segment.total - present;
  if (!HasEnoughHessian(present, param) || !HasEnoughHessian(missing, param)) return;
  if (segment.limits.rows.IsOn() && !segment.limits.rows.Allows(segment.count)) return;
  auto const gain = [&](FixedSum left, FixedSum right) {
    return SplitGain(left, right, param, segment.bounds, segment.sign);
  };
  auto const largest = segment.entries[segment.count - 1].value;
  if (segment.mode == ScanMode::kBoth && largest < kLargestValue) {
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
  if (segment.limits.IsOn()) {
    auto const& rows = segment.limits.rows;
    if (goes_up) ScanWithinLimits(param, segment, {}, up, nullptr);
    if (goes_down) ScanWithinLimits(param, segment, {missing, rows.of_node - segment.count}, nullptr, down);
  } else {
    ScanBoundaries(param, segment, missing, up, down);
  }
  auto best = AtBoundary(segment, upwards, false);
  KeepBetter(AtBoundary(segment, downwards, true), &best);
  if (segment.has_missing) ConsiderMissingAlone(param, segment, present, floor, &best);
  return best;
}

}  // namespace kauri
