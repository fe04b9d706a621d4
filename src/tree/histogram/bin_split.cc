#include "tree/histogram/bin_split.h"

#include <algorithm>
#include <cmath>

#include "tree/histogram/bin_scan.h"

namespace kauri {
namespace {

/// Fills the scratch; returns the number of bins that hold rows. Every bin writes, only those that hold rows advance.
std::int64_t CollectBins(FixedSum const* cells, std::uint32_t n_bins, ScanScratch* scratch) {
  scratch->Reserve(n_bins);
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

/// The categories that hold rows of a node.
void CollectCategories(FixedSum const* cells, std::uint32_t n_bins, std::vector<CategoryEntry>* entries) {
  entries->clear();
  for (std::uint32_t bin = 0; bin < n_bins; ++bin) {
    if (!(cells[bin] == FixedSum{})) entries->push_back({static_cast<std::int32_t>(bin), cells[bin]});
  }
}

}  // namespace

void BinSplitFinder::FindCategories(std::uint32_t feature, FixedSum const* cells, NodeTotal const& node,
                                    ScanScratch* scratch, SplitCandidate* best) const {
  auto const n_bins = cuts_.NumBins(feature);
  CollectCategories(cells, n_bins, &scratch->entries);
  CategoryNode const here{feature, static_cast<std::int32_t>(n_bins), node.sum, node.gain, node.bounds};
  auto const found = FindCategorySplit(param_, node.categories, here, best->loss_change, &scratch->entries);
  if (found.IsValid()) *best = found;
}

void BinSplitFinder::Find(std::uint32_t feature, FixedSum const* cells, NodeTotal const& node, ScanScratch* scratch,
                          SplitCandidate* best) const {
  if (cuts_.IsCategorical(feature)) return FindCategories(feature, cells, node, scratch, best);
  auto const count = CollectBins(cells, cuts_.NumBins(feature), scratch);
  FindAmong(feature, count, node, *scratch, best);
}

void BinSplitFinder::FindAmong(std::uint32_t feature, std::int64_t count, NodeTotal const& node,
                               ScanScratch const& scratch, SplitCandidate* best) const {
  if (count == 0) return;
  auto const* left = scratch.left.data();
  auto const* codes = scratch.codes.data();
  auto const* cuts = cuts_.Of(feature);
  auto const missing = node.sum - left[count - 1];
  auto const has_missing = !(missing == FixedSum{});
  auto const sign = node.signs.empty() ? 0 : static_cast<int>(node.signs[feature]);
  auto const find = [&](FixedSum const* sums, std::int64_t n, FixedSum offset, bool keep_last) {
    BinBoundaries const boundaries{sums, n, offset, node.sum, node.gain, keep_last, node.bounds, sign};
    return FindBestBoundary(param_, boundaries, best->loss_change);
  };
  // No threshold lies above a bin whose upper bound is infinite.
  auto const splits_off_missing = has_missing && std::isfinite(cuts[codes[count - 1]]);
  auto const up = find(left, splits_off_missing ? count : count - 1, {}, false);
  if (up.boundary >= 0) {
    auto const sum = left[up.boundary];
    *best = {up.loss_change, feature, cuts[codes[up.boundary]], false, sum, node.sum - sum};
  }
  if (!has_missing) return;
  auto const down = find(left, count - 1, missing, true);
  if (down.boundary >= 0) {
    auto const sum = left[down.boundary] + missing;
    *best = {down.loss_change, feature, cuts[codes[down.boundary + 1] - 1], true, sum, node.sum - sum};
  }
  if (sign == 0) return;
  FixedSum const nothing;
  auto const alone = find(&nothing, 1, missing, true);
  if (alone.boundary < 0) return;
  auto const threshold = codes[0] > 0 ? cuts[codes[0] - 1] : cuts_.min_values[feature];
  *best = {alone.loss_change, feature, threshold, true, missing, node.sum - missing};
}

std::vector<std::int32_t> BinSplitFinder::RightCategories(SplitCandidate const& best, FixedSum const* cells,
                                                          CategoryRules const& rules) const {
  std::vector<CategoryEntry> entries;
  CollectCategories(cells, cuts_.NumBins(best.feature), &entries);
  return kauri::RightCategories(param_, rules, cuts_.categories[best.feature], best, &entries);
}

}  // namespace kauri
