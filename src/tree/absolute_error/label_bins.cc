#include "tree/absolute_error/label_bins.h"

#include <algorithm>
#include <cmath>

namespace kauri {
namespace {

void RaiseTo(double value, std::atomic<double>* reached) {
  auto seen = reached->load(std::memory_order_relaxed);
  while (seen < value && !reached->compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

/// Returns the sum left of the boundary after a place. cumulated: [places + 1], missing rows last.
template <typename Sum>
Sum LeftOf(bool missing_left, std::vector<Sum> const& cumulated, std::size_t place) {
  auto const sum = cumulated[place + 1];
  return missing_left ? sum + (cumulated.back() - cumulated[cumulated.size() - 2]) : sum;
}

/// Returns whether the gain of a boundary is only an upper bound.
bool IsBound(LabelBinSearch::Scratch const& scratch, std::size_t place) {
  auto const& [gains, lefts, rights] = scratch.gains;
  return !scratch.table.IsSingle(lefts[place]) || !scratch.table.IsSingle(rights[place]);
}

template <typename MayStay>
void Keep(MayStay const& may_stay, std::vector<std::uint32_t>* indices) {
  indices->erase(std::remove_if(indices->begin(), indices->end(), [&](auto index) { return !may_stay(index); }),
                 indices->end());
}

/// Adds up the single label bins around the quantiles of the boundary with the largest bound, if it may win. Returns
/// false if no such boundary exists.
bool Refine(double slack, LabelBinSearch::Scratch* scratch) {
  auto const& [gains, lefts, rights] = scratch->gains;
  auto least = 0.0;
  auto largest = 0.0;
  auto found = gains.size();
  for (auto const index : scratch->indices) {
    auto const place = scratch->table.PlaceOf(index);
    if (!IsBound(*scratch, place)) {
      least = std::max(least, gains[place]);
    } else if (found == gains.size() || gains[place] > largest) {
      found = place;
      largest = gains[place];
    }
  }
  if (found == gains.size() || largest + slack < least) return false;
  auto const [low, high] = std::minmax(lefts[found], rights[found]);
  scratch->table.Refine(high);
  if (low != high) scratch->table.Refine(low);
  return true;
}

}  // namespace

struct LabelBinSearch::Side {
  LabelBinNode const& node;
  std::uint32_t feature;
  bool missing_left;
};

/// Lists the boundaries after bins with rows. The last one counts only if missing rows follow it and its edge can be a
/// threshold.
void LabelBinSearch::ListBoundaries(Side const& side, Scratch* scratch) const {
  auto const& codes = scratch->table.Codes();
  auto const has_missing = scratch->table.HasMissing();
  auto const n_present = codes.size() - (has_missing ? 1 : 0);
  auto const is_last_in = has_missing && !side.missing_left && n_present > 0 &&
                          std::isfinite(bins_.Cuts().Of(side.feature)[codes[n_present - 1]]);
  scratch->indices.resize(n_present - (n_present > 0 && !is_last_in ? 1 : 0));
  for (std::uint32_t i = 0; i < scratch->indices.size(); ++i) scratch->indices[i] = i;
}

SplitCandidate LabelBinSearch::At(Side const& side, Scratch* scratch, std::uint32_t index) const {
  auto const& codes = scratch->table.Codes();
  auto const place = scratch->table.PlaceOf(index);
  auto const* const cuts = bins_.Cuts().Of(side.feature);
  auto const threshold = side.missing_left ? cuts[codes[index + 1] - 1] : cuts[codes[index]];
  auto const left = LeftOf(side.missing_left, scratch->pairs, place);
  return {scratch->gains.gains[place], side.feature, threshold, side.missing_left, left, side.node.total->sum - left};
}

bool LabelBinSearch::IsAllowed(Side const& side, Scratch const& scratch, std::uint32_t index) const {
  auto const place = scratch.table.PlaceOf(index);
  auto const& node = side.node;
  auto const left = LeftOf(side.missing_left, scratch.pairs, place);
  if (!HasEnoughHessian(left, gain_) || !HasEnoughHessian(node.total->sum - left, gain_)) return false;
  RowLimit const rows{node.total->rows.least, node.rows.end - node.rows.begin};
  return !rows.IsOn() || rows.Allows(LeftOf(side.missing_left, scratch.n_rows, place));
}

/// Keeps the boundaries that may win. Returns false if there are none.
bool LabelBinSearch::KeepWhatMayWin(Side const& side, double floor, Scratch* scratch) const {
  auto& [table, pairs, n_rows, indices, gains] = *scratch;
  auto const reaches_floor = [&, &known = table, &found = gains.gains](std::uint32_t index) {
    auto const place = known.PlaceOf(index);
    auto const gain = found[place];
    if (gain > 0.0 && gain >= floor) return true;
    return !(gain + slack_ <= 0.0) && !(gain + slack_ < floor) && IsBound(*scratch, place);
  };
  Keep(reaches_floor, &indices);
  if (indices.empty()) return false;
  if (pairs.empty()) {
    table.AddPairs(&pairs);
    if (side.node.total->rows.IsOn()) table.CountRows(&n_rows);
  }
  Keep([&](std::uint32_t index) { return IsAllowed(side, *scratch, index); }, &indices);
  for (auto const index : indices) {
    auto const place = table.PlaceOf(index);
    if (gains.gains[place] > floor && !IsBound(*scratch, place)) floor = gains.gains[place];
  }
  Keep(reaches_floor, &indices);
  return !indices.empty();
}

void LabelBinSearch::Consider(Side const& side, Scratch* scratch, SplitCandidate* best) const {
  auto const& table = scratch->table;
  auto const floor = std::max(side.node.reached.load(std::memory_order_relaxed), best->loss_change);
  auto const find = [&](std::size_t begin, std::size_t end) {
    return FillGains(residuals_, {table, side.missing_left}, side.node.bins.errors, begin, end, &scratch->gains);
  };
  scratch->gains.Reserve(table.NumPlaces());
  if (find(0, table.NumPlaces() - 1) + slack_ < floor) return;
  ListBoundaries(side, scratch);
  while (KeepWhatMayWin(side, floor, scratch)) {
    if (!Refine(slack_, scratch)) break;
    find(table.PlaceOf(scratch->indices.front()), table.PlaceOf(scratch->indices.back()) + 1);
  }
  for (auto const index : scratch->indices) {
    if (IsBound(*scratch, table.PlaceOf(index))) continue;
    auto const found = At(side, scratch, index);
    if (IsBetter(found, *best)) *best = found;
  }
}

SplitCandidate LabelBinSearch::Find(LabelBinNode const& node, std::uint32_t feature, Scratch* scratch) const {
  SplitCandidate best;
  if (node.rows.end == node.rows.begin) return best;
  scratch->table.Start(bins_, feature, rows_, node.bins);
  scratch->pairs.clear();
  Consider({node, feature, false}, scratch, &best);
  if (scratch->table.HasMissing()) Consider({node, feature, true}, scratch, &best);
  if (best.IsValid()) RaiseTo(best.loss_change, &node.reached);
  return best;
}

}  // namespace kauri
