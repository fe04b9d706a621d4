#include "tree/histogram/bin_split.h"

#include <algorithm>
#include <cmath>

#include "tree/histogram/bin_scan.h"

namespace kauri {
namespace {

/// Fills the scratch and returns the number of bins with rows. Branch-free: every bin is written, but only bins with
/// rows advance the position.
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

/// Does the same by row counts, which it adds to the scratch.
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

/// Collects the categories with rows in a node.
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

/// The boundaries of one numerical feature in a node. Boundary i follows the i-th bin with rows.
class FeatureScan {
 public:
  FeatureScan(GainParam const& param, std::uint32_t feature, NodeTotal const& node, ScanScratch const& scratch,
              std::int64_t count)
      : param_(param),
        feature_(feature),
        node_(node),
        scratch_(scratch),
        sign_(node.signs.empty() ? 0 : static_cast<int>(node.signs[feature])),
        gain_to_beat_(node.GainToBeat(feature)),
        missing_{node.sum - scratch.left[count - 1],
                 node.rows.IsOn() ? node.rows.of_node - scratch.n_left[count - 1] : 0} {}

  bool HasMissing() const { return node_.rows.IsOn() ? missing_.n_rows > 0 : !(missing_.sum == FixedSum{}); }
  int Sign() const { return sign_; }
  /// Considers the boundaries with the missing rows on the right. The first of equal candidates wins.
  void ConsiderUp(BoundaryRange const& range, float const* cuts, SplitCandidate* best) const {
    auto const up = Find(LeftOf(range.first), range.Size(), {}, false, best->loss_change);
    if (up.boundary < 0) return;
    auto const at = range.first + up.boundary;
    auto const sum = scratch_.left[at];
    *best = {up.loss_change, feature_, cuts[scratch_.codes[at]], false, sum, node_.sum - sum};
  }
  /// Considers the boundaries with the missing rows on the left. The last of equal candidates wins.
  void ConsiderDown(BoundaryRange const& range, float const* cuts, SplitCandidate* best) const {
    auto const down = Find(LeftOf(range.first), range.Size(), missing_, true, best->loss_change);
    if (down.boundary < 0) return;
    auto const at = range.first + down.boundary;
    auto const sum = scratch_.left[at] + missing_.sum;
    *best = {down.loss_change, feature_, cuts[scratch_.codes[at + 1] - 1], true, sum, node_.sum - sum};
  }
  /// Considers the split that sends all present rows to the right.
  void ConsiderAlone(float threshold, SplitCandidate* best) const {
    CountedSum const nothing;
    auto const alone = Find({&nothing.sum, &nothing.n_rows}, 1, missing_, true, best->loss_change);
    if (alone.boundary < 0) return;
    *best = {alone.loss_change, feature_, threshold, true, missing_.sum, node_.sum - missing_.sum};
  }

 private:
  /// Sums and row counts left of consecutive boundaries.
  struct LeftSides {
    FixedSum const* sums;
    std::int64_t const* n_rows;  ///< read only if min_data_in_leaf limits the node
  };

  LeftSides LeftOf(std::int64_t first) const { return {scratch_.left.data() + first, scratch_.n_left.data() + first}; }
  /// Returns the best of n boundaries among those that leave enough rows to both children.
  BestBin Find(LeftSides const& left, std::int64_t n, CountedSum const& missing, bool keep_last, double floor) const {
    BoundaryRange range{0, n};
    if (node_.rows.IsOn()) {
      range = AllowedBoundaries(node_.rows, n,
                                [&](std::int64_t boundary) { return left.n_rows[boundary] + missing.n_rows; });
    }
    BinBoundaries const boundaries{left.sums + range.first, range.Size(), missing.sum,  node_.sum,
                                   gain_to_beat_,           keep_last,    node_.bounds, sign_};
    auto best = FindBestBoundary(param_, boundaries, floor);
    if (best.boundary >= 0) best.boundary += range.first;
    return best;
  }

  GainParam const& param_;
  std::uint32_t feature_;
  NodeTotal const& node_;
  ScanScratch const& scratch_;
  int sign_;
  double gain_to_beat_;
  CountedSum missing_;
};

}  // namespace

template <typename Entry>
void BinSplitFinder::FindAmong(std::uint32_t feature, NodeTotal const& node, std::vector<Entry>* entries,
                               SplitCandidate* best) const {
  CategoryNode const here{feature, static_cast<std::int32_t>(cuts_.NumBins(feature)), node.sum,
                          node.GainToBeat(feature), node.bounds};
  auto const find = [&](SplitCandidate* to) {
    auto const found =
        FindCategorySplit(param_, node.categories, here, {node.rows, node.draw}, to->loss_change, entries);
    if (found.IsValid()) *to = found;
  };
  node.noise.Compete(feature, find, best);
}

void BinSplitFinder::FindAmongEntries(std::uint32_t feature, NodeTotal const& node, ScanScratch* scratch,
                                      SplitCandidate* best) const {
  FindAmong(feature, node, &scratch->entries, best);
}

void BinSplitFinder::FindCategories(std::uint32_t feature, FixedSum const* cells, NodeTotal const& node,
                                    ScanScratch* scratch, SplitCandidate* best) const {
  auto const n_bins = cuts_.NumBins(feature);
  if (node.rows.IsOn()) {
    CollectCategories(cells, cells + node.counts_at, n_bins, &scratch->counted_entries);
    return FindAmong(feature, node, &scratch->counted_entries, best);
  }
  CollectCategories(cells, n_bins, &scratch->entries);
  FindAmong(feature, node, &scratch->entries, best);
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
  node.noise.Compete(
      feature, [&](SplitCandidate* to) { FindBetween(feature, count, node, scratch, to); }, best);
}

void BinSplitFinder::FindBetween(std::uint32_t feature, std::int64_t count, NodeTotal const& node,
                                 ScanScratch const& scratch, SplitCandidate* best) const {
  auto const* codes = scratch.codes.data();
  auto const* cuts = cuts_.Of(feature);
  FeatureScan const scan(param_, feature, node, scratch, count);
  auto const between = node.draw.RangeOf(feature, count - 1);
  // A bin whose upper edge is infinite has no threshold above it.
  auto const splits_off_missing = scan.HasMissing() && std::isfinite(cuts[codes[count - 1]]);
  auto const is_one = splits_off_missing && !node.draw.is_on;
  scan.ConsiderUp({between.first, is_one ? count : between.end}, cuts, best);
  if (splits_off_missing && !is_one) scan.ConsiderUp({count - 1, count}, cuts, best);
  if (!scan.HasMissing()) return;
  scan.ConsiderDown(between, cuts, best);
  if (scan.Sign() == 0) return;
  scan.ConsiderAlone(codes[0] > 0 ? cuts[codes[0] - 1] : cuts_.min_values[feature], best);
}

SplitCandidate BinSplitFinder::FindDrawn(DrawnColumns const& drawn, NodeTotal const& node, ScanScratch* scratch) const {
  scratch->Reserve(ToSize(drawn.n_columns));
  for (std::int64_t column = 0; column < drawn.n_columns; ++column) {
    scratch->left[column] = {drawn.LeftOf(0, column), drawn.LeftOf(1, column)};
  }
  // Columns without a random threshold have no hessian on the left, so they are never chosen.
  BinBoundaries const columns{scratch->left.data(), drawn.n_columns, {}, node.sum, node.gain, false};
  auto const found = FindBestBoundary(param_, columns, 0.0);
  if (found.boundary < 0) return {};
  auto const feature = static_cast<std::uint32_t>(found.boundary);
  auto const left = scratch->left[feature];
  return {found.loss_change, feature, cuts_.Of(feature)[drawn.below[feature] - 1], false, left, node.sum - left};
}

std::vector<std::int32_t> BinSplitFinder::RightCategories(SplitCandidate const& best, FixedSum const* cells,
                                                          CategoryRules const& rules) const {
  std::vector<CategoryEntry> entries;
  CollectCategories(cells, cuts_.NumBins(best.feature), &entries);
  return RightCategories(best, rules, &entries);
}

std::vector<std::int32_t> BinSplitFinder::RightCategories(SplitCandidate const& best, CategoryRules const& rules,
                                                          std::vector<CategoryEntry>* entries) const {
  return kauri::RightCategories(param_, rules, cuts_.categories[best.feature], best, entries);
}

}  // namespace kauri
