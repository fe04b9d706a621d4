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

/// The same by counts, which go to the scratch as well.
std::int64_t CollectCounted(FixedSum const* cells, FixedSum const* counts, std::uint32_t n_bins, ScanScratch* scratch) {
  scratch->Reserve(n_bins);
  FixedSum sum;
  std::int64_t n_rows = 0;
  std::int64_t count = 0;
  for (std::uint32_t bin = 0; bin < n_bins; ++bin) {
    if (counts[bin].gradient == 0) continue;
    sum += cells[bin];
    n_rows += counts[bin].gradient;
    scratch->left[count] = sum;
    scratch->n_left[count] = n_rows;
    scratch->codes[count++] = bin;
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

void CollectCategories(FixedSum const* cells, FixedSum const* counts, std::uint32_t n_bins,
                       std::vector<CountedCategory>* entries) {
  entries->clear();
  for (std::uint32_t bin = 0; bin < n_bins; ++bin) {
    auto const n_rows = counts[bin].gradient;
    if (n_rows > 0) entries->push_back({static_cast<std::int32_t>(bin), {cells[bin], n_rows}});
  }
}

/// What lies left of n boundaries.
struct LeftSides {
  FixedSum const* sums;
  std::int64_t const* n_rows;  ///< read only where the node's rows are limited
  std::int64_t n;
};

/// The best of some boundaries of a feature in a node, above a floor.
struct BoundarySearch {
  GainParam const& param;
  NodeTotal const& node;
  int sign;

  /// With the missing rows to the right; the first of equals.
  BestBin Upwards(LeftSides const& left, double floor) const { return Find(left, {}, false, floor); }
  /// With these to the left; the last of equals.
  BestBin Downwards(LeftSides const& left, CountedSum const& missing, double floor) const {
    return Find(left, missing, true, floor);
  }

 private:
  BestBin Find(LeftSides const& left, CountedSum const& missing, bool keep_last, double floor) const {
    BoundaryRange range{0, left.n};
    if (node.rows.IsOn()) {
      range = AllowedBoundaries(node.rows, left.n,
                                [&](std::int64_t boundary) { return left.n_rows[boundary] + missing.n_rows; });
    }
    BinBoundaries const boundaries{left.sums + range.first, range.Size(), missing.sum, node.sum,
                                   node.gain,               keep_last,    node.bounds, sign};
    auto best = FindBestBoundary(param, boundaries, floor);
    if (best.boundary >= 0) best.boundary += range.first;
    return best;
  }
};

}  // namespace

void BinSplitFinder::FindCategories(std::uint32_t feature, FixedSum const* cells, NodeTotal const& node,
                                    ScanScratch* scratch, SplitCandidate* best) const {
  auto const n_bins = cuts_.NumBins(feature);
  CategoryNode const here{feature, static_cast<std::int32_t>(n_bins), node.sum, node.gain, node.bounds};
  auto const floor = best->loss_change;
  SplitCandidate found;
  if (node.rows.IsOn()) {
    CollectCategories(cells, cells + node.counts_at, n_bins, &scratch->counted_entries);
    found = FindCategorySplit(param_, node.categories, here, node.rows, floor, &scratch->counted_entries);
  } else {
    CollectCategories(cells, n_bins, &scratch->entries);
    found = FindCategorySplit(param_, node.categories, here, floor, &scratch->entries);
  }
  if (found.IsValid()) *best = found;
}

void BinSplitFinder::Find(std::uint32_t feature, FixedSum const* cells, NodeTotal const& node, ScanScratch* scratch,
                          SplitCandidate* best) const {
  if (cuts_.IsCategorical(feature)) return FindCategories(feature, cells, node, scratch, best);
  auto const n_bins = cuts_.NumBins(feature);
  auto const count = node.rows.IsOn() ? CollectCounted(cells, cells + node.counts_at, n_bins, scratch)
                                      : CollectBins(cells, n_bins, scratch);
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
  auto const n_missing = node.rows.IsOn() ? node.rows.of_node - scratch.n_left[count - 1] : 0;
  BoundarySearch const search{param_, node, sign};
  // No threshold lies above a bin whose upper bound is infinite.
  auto const splits_off_missing = has_missing && std::isfinite(cuts[codes[count - 1]]);
  auto const n_up = splits_off_missing ? count : count - 1;
  auto const up = search.Upwards({left, scratch.n_left.data(), n_up}, best->loss_change);
  if (up.boundary >= 0) {
    auto const sum = left[up.boundary];
    *best = {up.loss_change, feature, cuts[codes[up.boundary]], false, sum, node.sum - sum};
  }
  if (!has_missing) return;
  auto const down =
      search.Downwards({left, scratch.n_left.data(), count - 1}, {missing, n_missing}, best->loss_change);
  if (down.boundary >= 0) {
    auto const sum = left[down.boundary] + missing;
    *best = {down.loss_change, feature, cuts[codes[down.boundary + 1] - 1], true, sum, node.sum - sum};
  }
  if (sign == 0) return;
  CountedSum const nothing;
  auto const alone = search.Downwards({&nothing.sum, &nothing.n_rows, 1}, {missing, n_missing}, best->loss_change);
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
