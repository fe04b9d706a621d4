/// \file Finds the best split of a node at one feature if splits have requirements besides their gain: enough rows in
/// both children, or a random threshold (tree/split_rules.h).
///
/// Works like feature_scan.cuh, with two differences. Bins with rows are numbered, because thresholds are drawn by
/// number. If rows are counted, counts decide which bins hold rows. Counts are read in place, and all gains are
/// computed in float64.
#pragma once

#include <cstdint>

#include "cuda/hist/split/feature_scan.cuh"
#include "tree/split_rules.h"

namespace kauri::cuda::bin_scan {

/// Totals of a stretch of bins.
struct Stretch {
  FixedSum sum;
  std::int64_t n_rows = 0;
  std::int64_t n_held = 0;  ///< bins that hold rows

  __device__ Stretch& operator+=(Stretch const& other) {
    sum += other.sum;
    n_rows += other.n_rows;
    n_held += other.n_held;
    return *this;
  }
};

/// Bins of a lane, and the totals before them.
struct LaneStretch {
  std::uint32_t begin;
  std::uint32_t end;
  Stretch before;
};

/// Does the same as AddOtherParts for WarpBins (feature_scan.cuh).
__device__ __forceinline__ Stretch AddOtherParts(Stretch const* of_parts, std::uint32_t part, std::uint32_t n_parts,
                                                 LaneStretch* lane) {
  Stretch all;
  for (std::uint32_t other = 0; other < n_parts; ++other) {
    if (other < part) lane->before += of_parts[other];
    all += of_parts[other];
  }
  return all;
}

struct LimitedScan {
  FeatureScan<AllBins> const& scan;
  std::uint32_t feature;
  SplitLimits limits;
  FeatureSums counts;  ///< used only if rows are counted

  /// Facts about the feature, equal in all lanes.
  struct Facts {
    FixedSum missing;
    std::int64_t n_missing = 0;  ///< number of rows
    bool has_missing = false;
    std::int64_t n_held = 0;
    BoundaryRange between;  ///< searched boundaries, among those behind bins with rows except the last
  };

  /// i: index among the warp's bins.
  __device__ std::int64_t RowsIn(std::uint32_t i) const {
    return limits.rows.IsOn() ? counts[scan.of_feature.Bin(i)].gradient : 0;
  }
  __device__ bool HoldsRows(std::uint32_t i) const {
    return limits.rows.IsOn() ? RowsIn(i) != 0 : !(scan.of_feature.Sum(i) == FixedSum{});
  }
  __device__ Stretch StretchOf(std::uint32_t i) const {
    return {scan.of_feature.Sum(i), RowsIn(i), HoldsRows(i) ? 1 : 0};
  }

  __device__ Facts FactsOf(Stretch const& all) const {
    Facts facts;
    if (scan.codes.may_miss != 0) {
      facts.missing = scan.node.sum - all.sum;
      facts.n_missing = limits.rows.IsOn() ? limits.rows.of_node - all.n_rows : 0;
    }
    facts.has_missing = limits.rows.IsOn() ? facts.n_missing > 0 : !(facts.missing == FixedSum{});
    facts.n_held = all.n_held;
    facts.between = limits.draw.RangeOf(feature, all.n_held - 1);
    return facts;
  }

  __device__ void Consider(FixedSum left, std::int64_t n_left, std::uint32_t order, BinCandidate* best) const {
    if (limits.rows.IsOn() && !limits.rows.Allows(n_left)) return;
    scan.Consider(left, order, best);
  }

  /// Tries the boundaries of a bin with rows that follows `before`.
  __device__ void ConsiderBin(std::uint32_t i, Stretch const& before, Facts const& facts, BinCandidate* best) const {
    std::uint32_t const bin = scan.of_feature.Bin(i);
    auto const is_looked_at = [&](std::int64_t boundary) {
      return boundary >= facts.between.first && boundary < facts.between.end;
    };
    if (facts.has_missing && is_looked_at(before.n_held - 1)) {
      Consider(before.sum + facts.missing, before.n_rows + facts.n_missing, BinCandidate::Down(bin), best);
    }
    if (facts.has_missing && before.n_held == 0 && scan.sign != 0) {
      Consider(facts.missing, facts.n_missing, BinCandidate::kAlone, best);
    }
    bool const splits_off_missing = facts.has_missing && before.n_held == facts.n_held - 1 && scan.HasCut(bin);
    if (!is_looked_at(before.n_held) && !splits_off_missing) return;
    Consider(before.sum + scan.of_feature.Sum(i), before.n_rows + RowsIn(i), BinCandidate::Up(bin), best);
  }

  /// Returns the lane's share of the warp's bins, with totals that include only this part. all (out): the part's
  /// totals.
  __device__ LaneStretch Divide(Stretch* all) const {
    std::uint32_t const count = scan.of_feature.Count();
    std::uint32_t const per_lane = (count + 31) / 32;
    LaneStretch lane{};
    lane.begin = min(Lane() * per_lane, count);
    lane.end = min(lane.begin + per_lane, count);
    Stretch own;
    for (std::uint32_t i = lane.begin; i < lane.end; ++i) own += StretchOf(i);
    FixedSum const sums = InclusiveScan(own.sum);
    FixedSum const numbers = InclusiveScan({own.n_rows, own.n_held});
    FixedSum const last = LastLane(numbers);
    lane.before = {sums - own.sum, numbers.gradient - own.n_rows, numbers.hessian - own.n_held};
    *all = {LastLane(sums), last.gradient, last.hessian};
    return lane;
  }

  /// all: totals of the feature's bins.
  __device__ BinCandidate Search(LaneStretch const& lane, Stretch const& all) const {
    Facts const facts = FactsOf(all);
    Stretch before = lane.before;
    BinCandidate best;
    for (std::uint32_t i = lane.begin; i < lane.end; ++i) {
      if (HoldsRows(i)) ConsiderBin(i, before, facts, &best);
      before += StretchOf(i);
    }
    return best;
  }
};

}  // namespace kauri::cuda::bin_scan
