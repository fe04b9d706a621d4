#include "tree/hist_split.h"

#include <algorithm>
#include <cmath>

#include "tree/hist_scan.h"

namespace kauri {
namespace {

/// Fills the scratch; returns the number of bins that hold rows. Every bin writes, only those that hold rows advance.
std::int64_t CollectBins(FixedSum const* cells, std::uint32_t n_bins, ScanScratch* scratch) {
  if (scratch->left.size() < n_bins) {
    scratch->left.resize(n_bins);
    scratch->codes.resize(n_bins);
  }
  auto* const left = scratch->left.data();
  auto* const codes = scratch->codes.data();
  FixedSum sum;
  std::int64_t count = 0;
  for (std::uint32_t bin = 0; bin < n_bins; ++bin) {
    sum += cells[bin];
    left[count] = sum;
    codes[count] = bin;
    count += static_cast<std::int64_t>((cells[bin].gradient | cells[bin].hessian) != 0);
  }
  return count;
}

}  // namespace

void FindBestSplit(GainParam const& param, BinMatrix const& bins, std::uint32_t feature, FixedSum const* cells,
                   NodeTotal const& node, ScanScratch* scratch, SplitCandidate* best) {
  auto const count = CollectBins(cells, bins.NumBins(feature), scratch);
  if (count == 0) return;
  auto const* left = scratch->left.data();
  auto const* codes = scratch->codes.data();
  auto const* cuts = bins.Cuts().Of(feature);
  auto const missing = node.sum - left[count - 1];
  auto const has_missing = !(missing == FixedSum{});
  // No threshold lies above a bin whose upper bound is infinite.
  auto const splits_off_missing = has_missing && std::isfinite(cuts[codes[count - 1]]);
  auto const n_up = splits_off_missing ? count : count - 1;
  auto const up = FindBestBoundary(param, {left, n_up, {}, node.sum, node.gain, false}, best->loss_change);
  if (up.boundary >= 0) {
    auto const sum = left[up.boundary];
    *best = {up.loss_change, feature, cuts[codes[up.boundary]], false, sum, node.sum - sum};
  }
  if (!has_missing) return;
  auto const down = FindBestBoundary(param, {left, count - 1, missing, node.sum, node.gain, true}, best->loss_change);
  if (down.boundary >= 0) {
    auto const sum = left[down.boundary] + missing;
    *best = {down.loss_change, feature, cuts[codes[down.boundary + 1] - 1], true, sum, node.sum - sum};
  }
}

std::uint32_t CodeOfThreshold(BinMatrix const& bins, std::uint32_t feature, float threshold) {
  auto const* cuts = bins.Cuts().Of(feature);
  return static_cast<std::uint32_t>(std::lower_bound(cuts, cuts + bins.NumBins(feature), threshold) - cuts);
}

}  // namespace kauri
