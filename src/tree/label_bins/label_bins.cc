#include "tree/label_bins/label_bins.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tree/label_bins/feature_codes.h"
#include "tree/label_bins/sort_floats.h"

namespace kauri {
namespace {

/// Where edges are, as shares of the rows: half of them evenly, the other half evenly around the quantile, as far as
/// the nearer end on either side of it. Together evenly where the quantile is the median.
std::vector<double> SharesOfEdges(double quantile) {
  constexpr auto kHalf = static_cast<double>(kLabelBins) / 2.0;
  auto const first = quantile < 0.5 ? 0.0 : 2.0 * quantile - 1.0;
  auto const width = 2.0 * std::min(quantile, 1.0 - quantile);
  std::vector<double> shares;
  for (auto i = 0.0; i < kHalf; i += 1.0) {
    if (i > 0.0) shares.push_back(i / kHalf);
    shares.push_back(first + width * (i + 0.5) / kHalf);
  }
  std::sort(shares.begin(), shares.end());
  return shares;
}

double QuantileOf(LineErrors const& errors) { return errors.above / (errors.above + errors.below); }

/// Each edge once, then infinity.
LabelEdges EdgesOf(RowSlice const& rows, FixedResiduals const& residuals) {
  constexpr std::int64_t kMostRows = 4096;
  auto const stride = std::max<std::int64_t>(1, (rows.end - rows.begin + kMostRows - 1) / kMostRows);
  std::vector<float> some;
  for (auto position = rows.begin; position < rows.end; position += stride) {
    auto const row = RowAt(rows, position);
    if (residuals.Of(row).weight > 0) some.push_back(residuals.Values()[row]);
  }
  SortFloats(&some);
  LabelEdges edges;
  edges.fill(std::numeric_limits<float>::infinity());
  std::size_t n_edges = 0;
  for (auto const share : SharesOfEdges(QuantileOf(residuals.Errors()))) {
    if (some.empty()) break;
    auto const edge =
        some[std::min(some.size() - 1, static_cast<std::size_t>(share * static_cast<double>(some.size())))];
    if (edge > (n_edges == 0 ? some.front() : edges[n_edges - 1])) edges[n_edges++] = edge;
  }
  return edges;
}

/// How many edges are not above it; a product, as a choice would be a branch that no processor foresees.
std::size_t BinOf(float residual, LabelEdges const& edges) {
  std::size_t bin = 0;
  for (auto half = kLabelBins / 2; half > 0; half /= 2)
    bin += half * static_cast<std::size_t>(edges[bin + half - 1] <= residual);
  return bin;
}

}  // namespace

LabelBinSearch::LabelBinSearch(BinMatrix const& bins, FixedResiduals const& residuals, GainParam const& gain,
                               Span<FixedPair const> pairs)
    : bins_(bins),
      residuals_(residuals),
      gain_(gain),
      pairs_(pairs),
      entries_(static_cast<std::size_t>(bins.NumRows())) {}

void LabelBinSearch::Prepare(LabelBinNode* node) {
  node->edges = EdgesOf(node->rows, residuals_);
  node->bins = {};
  node->all = {};
  for (auto position = node->rows.begin; position < node->rows.end; ++position) {
    auto const row = RowAt(node->rows, position);
    auto const bin = BinOf(residuals_.Values()[row], node->edges);
    auto const residual = residuals_.Of(row);
    entries_[static_cast<std::size_t>(position)] = {residual, pairs_[row], static_cast<std::uint32_t>(bin)};
    node->bins[bin] += residual;
    node->all += residual;
  }
  node->errors = BinSides(residuals_, node->bins, node->all).RightErrors();
}

void LabelBinSearch::AddRows(LabelBinNode const& node, std::uint32_t feature, Scratch* scratch) const {
  auto const n_codes = static_cast<std::size_t>(bins_.NumBins(feature)) + 1;  // the last: missing
  if (scratch->cells.size() < n_codes) {
    scratch->cells.resize(n_codes);
    scratch->bins.resize(n_codes);
  }
  auto* const cells = scratch->cells.data();
  auto* const bins = scratch->bins.data();
  auto const* const entries = entries_.data();
  WithCodes(bins_, feature, [&, slice = node.rows](auto const& code_of) {
    for (auto position = slice.begin; position < slice.end; ++position) {
      auto const& entry = entries[position];
      auto const code = code_of(RowAt(slice, position));
      auto const bin = entry.bin;
      auto& cell = cells[code];
      auto& sum = bins[code][bin];
      sum = entry.residual + sum.If((cell.used >> bin & 1) != 0);
      cell.used |= std::uint64_t{1} << bin;
      cell.pairs += entry.pair;
      ++cell.n_rows;
    }
  });
  scratch->codes.clear();
  for (std::uint32_t code = 0; code < n_codes; ++code) {
    if (scratch->cells[code].used != 0) scratch->codes.push_back(code);
  }
}

void LabelBinSearch::Consider(LabelBinNode const& node, std::uint32_t feature, Scratch const& scratch,
                              bool missing_left, SplitCandidate* best) const {
  auto const n_bins = bins_.NumBins(feature);
  auto const* const cuts = bins_.Cuts().Of(feature);
  auto const& codes = scratch.codes;
  auto const has_missing = codes.back() == n_bins;
  auto const n_present = codes.size() - (has_missing ? 1 : 0);
  auto const& rows = node.total->rows;
  BinSides sides(residuals_, node.bins, node.all);
  FixedSum left;
  std::int64_t n_left = 0;
  auto const move = [&](std::uint32_t code) {
    auto const& cell = scratch.cells[code];
    sides.MoveLeft(cell.used, scratch.bins[code]);
    left += cell.pairs;
    n_left += cell.n_rows;
  };
  if (missing_left) move(n_bins);
  for (std::size_t i = 0; i < n_present; ++i) {
    move(codes[i]);
    auto const is_last = i + 1 == n_present;
    if (is_last && (missing_left || !has_missing || !std::isfinite(cuts[codes[i]]))) break;
    auto const right = node.total->sum - left;
    if (!HasEnoughHessian(left, gain_) || !HasEnoughHessian(right, gain_)) continue;
    if (rows.least > 1 && !RowLimit{rows.least, node.rows.end - node.rows.begin}.Allows(n_left)) continue;
    auto const threshold = missing_left ? cuts[codes[i + 1] - 1] : cuts[codes[i]];
    auto const gain = node.errors - sides.LeftErrors() - sides.RightErrors();
    SplitCandidate const found{gain, feature, threshold, missing_left, left, right};
    if (gain > 0.0 && IsBetter(found, *best)) *best = found;
  }
}

SplitCandidate LabelBinSearch::Find(LabelBinNode const& node, std::uint32_t feature, Scratch* scratch) const {
  SplitCandidate best;
  if (node.rows.end == node.rows.begin) return best;
  AddRows(node, feature, scratch);
  Consider(node, feature, *scratch, false, &best);
  auto const has_missing = scratch->codes.back() == bins_.NumBins(feature);
  if (has_missing && scratch->codes.size() > 1) Consider(node, feature, *scratch, true, &best);
  for (auto const code : scratch->codes) scratch->cells[code] = {};
  return best;
}

}  // namespace kauri
