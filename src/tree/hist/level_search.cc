#include "tree/hist/level_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/parallel_for.h"
#include "common/threads_for.h"
#include "tree/growth/tree_common.h"
#include "tree/hist/level_scan.h"

namespace kauri {
namespace {

constexpr double kCellWork = 4.0;  // of a cell in a node, in simple operations

bool MayUse(HistNode const& node, std::uint32_t feature) {
  return std::binary_search(node.features->begin(), node.features->end(), feature);
}

std::int64_t AddCounts(FixedSum const* begin, FixedSum const* end) {
  return std::accumulate(begin, end, std::int64_t{0},
                         [](std::int64_t n_rows, FixedSum count) { return n_rows + count.gradient; });
}

/// Without boundaries yet.
BinBoundaries BoundariesOf(HistNode const& node, std::uint32_t feature) {
  auto const sign = node.total.signs.empty() ? 0 : static_cast<int>(node.total.signs[feature]);
  return {nullptr, 0, {}, node.total.sum, node.total.gain, false, node.total.bounds, sign};
}

}  // namespace

FixedSum LevelSearch::SumOfPresent(HistNode const& node, std::uint32_t feature) const {
  auto const* cells = node.histogram + bins_.FeatureBegin()[feature];
  return std::accumulate(cells, cells + bins_.NumBins(feature), FixedSum{}, [](FixedSum sum, FixedSum cell) {
    sum += cell;
    return sum;
  });
}

bool LevelSearch::HasMissing(HistNode const& node, std::uint32_t feature) const {
  auto const& total = node.total;
  if (!total.rows.IsOn()) return !(SumOfPresent(node, feature) == total.sum);
  auto const* counts = node.histogram + bins_.FeatureBegin()[feature] + total.counts_at;
  return AddCounts(counts, counts + bins_.NumBins(feature)) < total.rows.of_node;
}

std::int64_t LevelSearch::CountLeft(HistNode const& node, LevelSplit const& split) const {
  auto const* counts = node.histogram + bins_.FeatureBegin()[split.best.feature] + node.total.counts_at;
  auto const* const end = counts + bins_.NumBins(split.best.feature);
  auto const* const first_right = counts + split.code + 1;
  if (!split.best.default_left) return AddCounts(counts, first_right);
  return node.total.rows.of_node - AddCounts(first_right, end);
}

void LevelSearch::AddAllowed(HistNode const& node, BinBoundaries boundaries, std::int64_t n_missing,
                             Scratch const& scratch, std::vector<double>* scores) const {
  if (!node.total.rows.IsOn()) return AddLosses(gain_, boundaries, gamma_, scores->data());
  auto const range = AllowedBoundaries(node.total.rows, boundaries.n, [&](std::int64_t boundary) {
    return scratch.n_left[static_cast<std::size_t>(boundary)] + n_missing;
  });
  boundaries.left += range.first;
  boundaries.n = range.Size();
  AddLosses(gain_, boundaries, gamma_, scores->data() + range.first);
}

void LevelSearch::AddNode(std::uint32_t feature, HistNode const& node, bool has_missing, Scratch* scratch) const {
  auto const n_bins = bins_.NumBins(feature);
  auto const* cells = node.histogram + bins_.FeatureBegin()[feature];
  FixedSum sum;
  for (std::uint32_t bin = 0; bin < n_bins; ++bin) scratch->left[bin] = sum += cells[bin];
  auto boundaries = BoundariesOf(node, feature);
  boundaries.left = scratch->left.data();
  boundaries.n = n_bins;
  std::int64_t n_present = 0;
  if (node.total.rows.IsOn()) {
    auto const* counts = cells + node.total.counts_at;
    for (std::uint32_t bin = 0; bin < n_bins; ++bin) scratch->n_left[bin] = n_present += counts[bin].gradient;
  }
  AddAllowed(node, boundaries, 0, *scratch, &scratch->missing_right);
  if (!has_missing) return;
  boundaries.offset = node.total.sum - sum;
  AddAllowed(node, boundaries, node.total.rows.of_node - n_present, *scratch, &scratch->missing_left);
}

LevelSplit LevelSearch::BestOf(std::uint32_t feature, bool has_missing, Scratch const& scratch) const {
  auto const n_bins = bins_.NumBins(feature);
  auto const* cuts = bins_.Cuts().Of(feature);
  auto const cost = AddCost(0.0, costs_, feature);
  LevelSplit found;
  auto const keep = [&](std::uint32_t code, bool default_left, double gained) {
    auto const score = gained - cost;
    if (!(score > 0.0)) return;
    SplitCandidate candidate;
    candidate.loss_change = score;
    candidate.feature = feature;
    candidate.threshold = cuts[code];
    candidate.default_left = default_left;
    if (IsBetter(candidate, found.best)) found = {candidate, code};
  };
  auto const splits_off_missing = has_missing && std::isfinite(cuts[n_bins - 1]);
  auto const n_right = splits_off_missing ? n_bins : n_bins - 1;
  for (std::uint32_t code = 0; code < n_right; ++code) keep(code, false, scratch.missing_right[code]);
  if (!has_missing) return found;
  for (std::uint32_t code = 0; code + 1 < n_bins; ++code) keep(code, true, scratch.missing_left[code]);
  return found;
}

void LevelSearch::FindAt(std::uint32_t feature, Span<HistNode const> level, Scratch* scratch) const {
  auto const n_bins = bins_.NumBins(feature);
  scratch->left.resize(std::max<std::size_t>(scratch->left.size(), n_bins));
  scratch->n_left.resize(scratch->left.size());
  scratch->missing_right.assign(n_bins, 0.0);
  scratch->missing_left.assign(n_bins, 0.0);
  auto const has_missing = std::any_of(level.begin(), level.end(), [&](HistNode const& node) {
    return MayUse(node, feature) && HasMissing(node, feature);
  });
  double noise = 0.0;
  for (auto const& node : level) {
    if (!MayUse(node, feature)) continue;
    AddNode(feature, node, has_missing, scratch);
    noise += node.total.noise.Of(feature);
  }
  auto found = BestOf(feature, has_missing, *scratch);
  if (!ReducesLoss(found.best)) return;
  found.noise = noise;
  if (ComesFirst(found, scratch->found)) scratch->found = found;
}

LevelSplit LevelSearch::Find(Context const& ctx, Span<HistNode const> level, Span<std::uint32_t const> features) {
  scratch_.resize(std::max(scratch_.size(), static_cast<std::size_t>(ctx.threads)));
  for (auto& scratch : scratch_) scratch.found = {};
  auto const team = ThreadsFor(ctx, kCellWork * static_cast<double>(level.size()) * bins_.NumCells());
  ParallelFor(team, static_cast<std::int64_t>(features.size()),
              [&](std::int64_t index) { FindAt(features[index], level, &scratch_[ThreadIndex()]); });
  LevelSplit best;
  for (auto const& scratch : scratch_) {
    if (ComesFirst(scratch.found, best)) best = scratch.found;
  }
  return best;
}

LeftSide LevelSearch::LeftOf(LevelSplit const& split, HistNode const& node) const {
  auto const feature = split.best.feature;
  LeftSide left;
  if (node.total.rows.IsOn()) left.n_rows = CountLeft(node, split);
  if (split.best.default_left) left.sum = node.total.sum - SumOfPresent(node, feature);
  auto const* cells = node.histogram + bins_.FeatureBegin()[feature];
  for (auto const* cell = cells; cell <= cells + split.code; ++cell) left.sum += *cell;
  return left;
}

bool SetBest(GainParam const& gain, LevelSplit const& split, LeftSide const& left, HistNode* node) {
  auto const& best = split.best;
  auto const& total = node->total;
  node->best = {};
  if (!MayUse(*node, best.feature)) return false;
  if (total.rows.IsOn() && !total.rows.Allows(left.n_rows)) return false;
  auto const loss = LossOfBoundary(gain, BoundariesOf(*node, best.feature), left.sum);
  if (loss == -kInfinity) return false;
  node->best = {loss, best.feature, best.threshold, best.default_left, left.sum, total.sum - left.sum};
  return true;
}

}  // namespace kauri
