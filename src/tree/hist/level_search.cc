#include "tree/hist/level_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/threads/parallel_for.h"
#include "common/threads/threads.h"
#include "tree/growth/tree_common.h"

namespace kauri {
namespace {

constexpr double kCellWork = 4.0;  // cost of a cell in a node, in simple operations

bool MayUse(HistNode const& node, std::uint32_t feature) {
  return std::binary_search(node.features->begin(), node.features->end(), feature);
}

std::int64_t AddCounts(FixedSum const* begin, FixedSum const* end) {
  return std::accumulate(begin, end, std::int64_t{0},
                         [](std::int64_t n_rows, FixedSum count) { return n_rows + count.gradient; });
}

/// Returns the parameters of a node and feature, without any boundaries yet.
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

std::int64_t LevelSearch::CountLeft(HistNode const& node, LevelSplit const& split) const {
  auto const* counts = node.histogram + bins_.FeatureBegin()[split.best.feature] + node.total.counts_at;
  auto const* const end = counts + bins_.NumBins(split.best.feature);
  if (split.is_categorical) {
    auto const n_here = split.best.default_left ? node.total.rows.of_node : AddCounts(counts, end);
    return n_here - counts[split.code].gradient;
  }
  auto const* const first_right = counts + split.code + 1;
  if (!split.best.default_left) return AddCounts(counts, first_right);
  return node.total.rows.of_node - AddCounts(first_right, end);
}

void LevelSearch::AddAllowed(std::uint32_t feature, HistNode const& node, BinBoundaries boundaries,
                             std::int64_t n_missing, Scratch const& scratch, std::vector<double>* scores) const {
  auto const& rows = node.total.rows;
  auto const n = boundaries.n;
  auto const* const left = boundaries.left;
  auto const n_left = [&](std::int64_t at) { return scratch.n_left[static_cast<std::size_t>(at)] + n_missing; };
  auto const add = [&](std::int64_t first, std::int64_t count) {
    boundaries.left = left + first;
    boundaries.n = count;
    AddLosses(GainAt(feature), boundaries, gamma_, scores->data() + first);
  };
  if (!rows.IsOn()) return add(0, n);
  if (!bins_.Cuts().IsCategorical(feature)) {
    auto const range = AllowedBoundaries(rows, n, n_left);
    return add(range.first, range.Size());
  }
  for (std::int64_t at = 0; at < n; ++at) {
    if (rows.Allows(n_left(at))) add(at, 1);
  }
}

void LevelSearch::SumLeft(std::uint32_t feature, HistNode const& node, Scratch* scratch) const {
  auto const n_bins = bins_.NumBins(feature);
  auto const* cells = node.histogram + bins_.FeatureBegin()[feature];
  auto const* counts = node.total.rows.IsOn() ? cells + node.total.counts_at : nullptr;
  auto* const left = scratch->left.data();
  auto* const n_left = scratch->n_left.data();
  FixedSum sum;
  for (std::uint32_t bin = 0; bin < n_bins; ++bin) {
    sum += cells[bin];
    left[bin] = sum;
  }
  scratch->present = sum;
  if (counts != nullptr) {
    scratch->n_present = 0;
    for (std::uint32_t bin = 0; bin < n_bins; ++bin) n_left[bin] = scratch->n_present += counts[bin].gradient;
  }
  if (!bins_.Cuts().IsCategorical(feature)) return;
  for (std::uint32_t bin = 0; bin < n_bins; ++bin) {
    left[bin] = sum - cells[bin];
    if (counts != nullptr) n_left[bin] = scratch->n_present - counts[bin].gradient;
  }
}

void LevelSearch::AddNode(std::uint32_t feature, HistNode const& node, Scratch* scratch) const {
  SumLeft(feature, node, scratch);
  auto boundaries = BoundariesOf(node, feature);
  boundaries.left = scratch->left.data();
  boundaries.n = bins_.NumBins(feature);
  auto const missing = node.total.sum - scratch->present;
  auto const& rows = node.total.rows;
  auto const n_missing = rows.IsOn() ? rows.of_node - scratch->n_present : 0;
  auto const is_missing = rows.IsOn() ? n_missing > 0 : !(missing == FixedSum{});
  if (is_missing && !scratch->has_missing) {
    scratch->missing_left = scratch->missing_right;
    scratch->has_missing = true;
  }
  AddAllowed(feature, node, boundaries, 0, *scratch, &scratch->missing_right);
  if (!scratch->has_missing) return;
  boundaries.offset = missing;
  AddAllowed(feature, node, boundaries, n_missing, *scratch, &scratch->missing_left);
}

LevelSplit LevelSearch::BestOf(std::uint32_t feature, Scratch const& scratch) const {
  auto const n_bins = bins_.NumBins(feature);
  auto const* cuts = bins_.Cuts().Of(feature);
  auto const cost = AddCost(0.0, costs_, feature);
  LevelSplit found;
  found.is_categorical = bins_.Cuts().IsCategorical(feature);
  // The order of IsBetter among equal scores: missing to the right first, then the first threshold; with missing to the
  // left, the last threshold.
  auto const keep = [&](std::uint32_t code, bool default_left, double score) {
    found.code = code;
    found.best.feature = feature;
    found.best.threshold = found.is_categorical ? static_cast<float>(code) : cuts[code];
    found.best.default_left = default_left;
    found.best.loss_change = score;
  };
  auto const splits_off_missing = scratch.has_missing && std::isfinite(cuts[n_bins - 1]);
  auto const n_right = found.is_categorical || splits_off_missing ? n_bins : n_bins - 1;
  for (std::uint32_t code = 0; code < n_right; ++code) {
    auto const score = scratch.missing_right[code] - cost;
    if (score > found.best.loss_change) keep(code, found.is_categorical && !scratch.has_missing, score);
  }
  if (!scratch.has_missing) return found;
  auto const n_left = found.is_categorical ? n_bins : n_bins - 1;
  for (std::uint32_t code = 0; code < n_left; ++code) {
    auto const score = scratch.missing_left[code] - cost;
    auto const is_equal = score == found.best.loss_change && found.best.default_left;
    if (score > found.best.loss_change || is_equal) keep(code, true, score);
  }
  return found;
}

void LevelSearch::FindAt(std::uint32_t feature, Span<HistNode const> level, Scratch* scratch) const {
  auto const n_bins = bins_.NumBins(feature);
  scratch->left.resize(std::max<std::size_t>(scratch->left.size(), n_bins));
  scratch->n_left.resize(scratch->left.size());
  scratch->missing_right.assign(n_bins, 0.0);
  scratch->has_missing = false;
  double noise = 0.0;
  for (auto const& node : level) {
    if (!MayUse(node, feature)) continue;
    AddNode(feature, node, scratch);
    noise += node.total.noise.Of(feature);
  }
  auto found = BestOf(feature, *scratch);
  if (!ReducesLoss(found.best)) return;
  found.noise = noise;
  if (ComesFirst(found, scratch->found)) scratch->found = found;
}

LevelSplit LevelSearch::Find(Context const& ctx, Span<HistNode const> level, Span<std::uint32_t const> features) {
  scratch_.resize(std::max(scratch_.size(), static_cast<std::size_t>(ctx.threads)));
  for (auto& scratch : scratch_) scratch.found = {};
  of_categories_ = OfCategories(gain_);
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
  auto const* cells = node.histogram + bins_.FeatureBegin()[feature];
  LeftSide left;
  if (node.total.rows.IsOn()) left.n_rows = CountLeft(node, split);
  if (split.is_categorical) {
    left.sum = (split.best.default_left ? node.total.sum : SumOfPresent(node, feature)) - cells[split.code];
    return left;
  }
  if (split.best.default_left) left.sum = node.total.sum - SumOfPresent(node, feature);
  for (auto const* cell = cells; cell <= cells + split.code; ++cell) left.sum += *cell;
  return left;
}

bool SetBest(GainParam const& gain, LevelSplit const& split, LeftSide const& left, HistNode* node) {
  auto const& best = split.best;
  auto const& total = node->total;
  node->best = {};
  if (!MayUse(*node, best.feature)) return false;
  if (total.rows.IsOn() && !total.rows.Allows(left.n_rows)) return false;
  auto const of_feature = split.is_categorical ? OfCategories(gain) : gain;
  auto const loss = LossOfBoundary(of_feature, BoundariesOf(*node, best.feature), left.sum);
  if (loss == -kInfinity) return false;
  node->best = {loss, best.feature, best.threshold, best.default_left, left.sum, total.sum - left.sum};
  return true;
}

}  // namespace kauri
