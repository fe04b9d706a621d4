/// \file The best split of a node at one feature, by a warp, where more is asked of splits than what they gain: enough
/// rows in both children (tree/row_limit.h), or one threshold that is drawn (tree/threshold_draw.h).
///
/// As feature_scan.cuh, but that bins with rows are numbered, as thresholds are drawn by number; where rows are
/// counted, counts tell which bins hold rows. Counts are read where they are, and all gains computed in float64.
#pragma once

#include <cstdint>

#include "cuda/hist/split/feature_scan.cuh"
#include "tree/threshold_draw.h"

namespace kauri::cuda::bin_scan {

struct LimitedScan {
  FeatureScan<AllBins> const& scan;
  std::uint32_t feature;
  SplitLimits limits;
  FeatureSums counts;  ///< read where rows are counted

  /// What is known of a stretch of bins.
  struct Stretch {
    FixedSum sum;
    std::int64_t n_rows = 0;
    std::int64_t n_held = 0;  ///< bins that hold rows
  };

  /// What all lanes know of the feature.
  struct Facts {
    FixedSum missing;
    std::int64_t n_missing = 0;  ///< rows
    bool has_missing = false;
    std::int64_t n_held = 0;
    BoundaryRange between;  ///< boundaries behind bins with rows, but the last, that are looked at
  };

  __device__ std::int64_t RowsIn(std::uint32_t bin) const { return limits.rows.IsOn() ? counts[bin].gradient : 0; }
  __device__ bool HoldsRows(std::uint32_t bin) const {
    return limits.rows.IsOn() ? RowsIn(bin) != 0 : !(scan.of_feature.Sum(bin) == FixedSum{});
  }
  __device__ void Append(std::uint32_t bin, Stretch* stretch) const {
    stretch->sum += scan.of_feature.Sum(bin);
    stretch->n_rows += RowsIn(bin);
    stretch->n_held += HoldsRows(bin) ? 1 : 0;
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

  /// A bin with rows, behind `before`.
  __device__ void ConsiderBin(std::uint32_t bin, Stretch const& before, Facts const& facts, BinCandidate* best) const {
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
    Consider(before.sum + scan.of_feature.Sum(bin), before.n_rows + RowsIn(bin), BinCandidate::Up(bin), best);
  }

  __device__ BinCandidate Find() const {
    std::uint32_t const per_lane = (scan.codes.n_bins + 31) / 32;
    std::uint32_t const begin = min(Lane() * per_lane, scan.codes.n_bins);
    std::uint32_t const end = min(begin + per_lane, scan.codes.n_bins);
    Stretch own;
    for (std::uint32_t bin = begin; bin < end; ++bin) Append(bin, &own);
    FixedSum const sums = InclusiveScan(own.sum);
    FixedSum const numbers = InclusiveScan({own.n_rows, own.n_held});
    FixedSum const all = LastLane(numbers);
    Facts const facts = FactsOf({LastLane(sums), all.gradient, all.hessian});
    Stretch before{sums - own.sum, numbers.gradient - own.n_rows, numbers.hessian - own.n_held};
    BinCandidate best;
    for (std::uint32_t bin = begin; bin < end; ++bin) {
      if (HoldsRows(bin)) ConsiderBin(bin, before, facts, &best);
      Append(bin, &before);
    }
    return best;
  }
};

}  // namespace kauri::cuda::bin_scan
