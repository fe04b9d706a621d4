#include "tree/label_bins/label_bins.h"

#include <algorithm>
#include <cmath>

namespace kauri {
namespace {

std::int64_t RowAt(RowSlice const& slice, std::int64_t position) {
  return slice.rows == nullptr ? position : static_cast<std::int64_t>(slice.rows[position]);
}

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

/// Each edge once.
std::vector<float> EdgesOf(RowSlice const& rows, FixedResiduals const& residuals) {
  constexpr std::int64_t kMostRows = 4096;
  auto const stride = std::max<std::int64_t>(1, (rows.end - rows.begin + kMostRows - 1) / kMostRows);
  std::vector<float> some;
  for (auto position = rows.begin; position < rows.end; position += stride) {
    auto const row = RowAt(rows, position);
    if (residuals.Of(row).weight > 0) some.push_back(residuals.Values()[row]);
  }
  std::sort(some.begin(), some.end());
  std::vector<float> edges;
  for (auto const share : SharesOfEdges(QuantileOf(residuals.Errors()))) {
    if (some.empty()) break;
    auto const edge =
        some[std::min(some.size() - 1, static_cast<std::size_t>(share * static_cast<double>(some.size())))];
    if (edge > some.front() && (edges.empty() || edge > edges.back())) edges.push_back(edge);
  }
  return edges;
}

void Cumulate(CumulatedBins* bins) {
  for (std::size_t bin = 1; bin < kLabelBins; ++bin) (*bins)[bin] += (*bins)[bin - 1];
}

void AddTo(CumulatedBins* sums, CumulatedBins const& more) {
  for (std::size_t bin = 0; bin < kLabelBins; ++bin) (*sums)[bin] += more[bin];
}

/// The first bin up to which there is so much weight.
std::size_t BinOfQuantile(CumulatedBins const& bins, double share) {
  auto const target = share * static_cast<double>(bins.back().weight);
  std::size_t first = 0;
  for (std::size_t length = kLabelBins; length > 1;) {
    auto const half = length / 2;
    auto const weight = static_cast<double>(bins[first + half - 1].weight);
    auto const is_below = weight < target || weight <= 0.0;
    first += is_below ? half : 0;
    length -= half;
  }
  return first;
}

}  // namespace

double ErrorsOf(FixedResiduals const& residuals, CumulatedBins const& bins) {
  auto const& all = bins.back();
  if (all.weight <= 0) return 0.0;
  auto const& errors = residuals.Errors();
  auto const bin = BinOfQuantile(bins, QuantileOf(errors));
  auto const below = bin == 0 ? ResidualSum() : bins[bin - 1];
  auto const within = bins[bin] - below;
  auto const above = all - bins[bin];
  auto const constant = residuals.ProductOf(within) / residuals.WeightOf(within);
  return errors.above * (residuals.ProductOf(above) - residuals.WeightOf(above) * constant) +
         errors.below * (residuals.WeightOf(below) * constant - residuals.ProductOf(below));
}

LabelBinSearch::LabelBinSearch(BinMatrix const& bins, FixedResiduals const& residuals, GainParam const& gain,
                               Span<FixedPair const> pairs)
    : bins_(bins),
      residuals_(residuals),
      gain_(gain),
      pairs_(pairs),
      bin_of_row_(static_cast<std::size_t>(bins.NumRows())) {}

void LabelBinSearch::Prepare(LabelBinNode* node) {
  node->edges = EdgesOf(node->rows, residuals_);
  node->all = {};
  auto const& edges = node->edges;
  for (auto position = node->rows.begin; position < node->rows.end; ++position) {
    auto const row = RowAt(node->rows, position);
    auto const bin = std::upper_bound(edges.begin(), edges.end(), residuals_.Values()[row]) - edges.begin();
    bin_of_row_[row] = static_cast<std::uint8_t>(bin);
    node->all[static_cast<std::size_t>(bin)] += residuals_.Of(row);
  }
  Cumulate(&node->all);
  node->errors = ErrorsOf(residuals_, node->all);
}

void LabelBinSearch::AddRows(LabelBinNode const& node, std::uint32_t feature, Scratch* scratch) const {
  auto const n_codes = static_cast<std::size_t>(bins_.NumBins(feature)) + 1;  // the last: missing
  if (scratch->cells.size() < n_codes) scratch->cells.resize(n_codes);
  scratch->codes.clear();
  auto const add = [&](auto const& code_of) {
    for (auto position = node.rows.begin; position < node.rows.end; ++position) {
      auto const row = RowAt(node.rows, position);
      std::uint32_t const code = code_of(row);
      auto& cell = scratch->cells[code];
      if (cell.n_rows++ == 0) scratch->codes.push_back(code);
      cell.bins[bin_of_row_[row]] += residuals_.Of(row);
      cell.pairs += pairs_[row];
    }
  };
  auto const column = static_cast<std::int64_t>(feature) * bins_.NumRows();
  if (!bins_.IsDense()) {
    auto const missing = static_cast<std::uint32_t>(n_codes - 1);
    add([&](std::int64_t row) { return std::min(bins_.FindCode(row, feature), missing); });
  } else if (bins_.HasByteCodes()) {
    add([codes = bins_.Bytes().columns.data() + column](std::int64_t row) { return codes[row]; });
  } else {
    add([codes = bins_.Words().columns.data() + column](std::int64_t row) { return codes[row]; });
  }
  std::sort(scratch->codes.begin(), scratch->codes.end());
  for (auto const code : scratch->codes) Cumulate(&scratch->cells[code].bins);
}

double LabelBinSearch::GainAt(LabelBinNode const& node, Cell const& left) const {
  CumulatedBins right;
  for (std::size_t bin = 0; bin < kLabelBins; ++bin) right[bin] = node.all[bin] - left.bins[bin];
  return node.errors - ErrorsOf(residuals_, left.bins) - ErrorsOf(residuals_, right);
}

void LabelBinSearch::Consider(LabelBinNode const& node, std::uint32_t feature, Scratch const& scratch,
                              bool missing_left, SplitCandidate* best) const {
  auto const n_bins = bins_.NumBins(feature);
  auto const* const cuts = bins_.Cuts().Of(feature);
  auto const& codes = scratch.codes;
  auto const has_missing = codes.back() == n_bins;
  auto const n_present = codes.size() - (has_missing ? 1 : 0);
  auto const& rows = node.total->rows;
  Cell left;
  if (missing_left) left = scratch.cells[n_bins];
  for (std::size_t i = 0; i < n_present; ++i) {
    auto const& cell = scratch.cells[codes[i]];
    AddTo(&left.bins, cell.bins);
    left.pairs += cell.pairs;
    left.n_rows += cell.n_rows;
    auto const is_last = i + 1 == n_present;
    if (is_last && (missing_left || !has_missing || !std::isfinite(cuts[codes[i]]))) break;
    auto const right = node.total->sum - left.pairs;
    if (!HasEnoughHessian(left.pairs, gain_) || !HasEnoughHessian(right, gain_)) continue;
    if (rows.least > 1 && !RowLimit{rows.least, node.rows.end - node.rows.begin}.Allows(left.n_rows)) continue;
    auto const threshold = missing_left ? cuts[codes[i + 1] - 1] : cuts[codes[i]];
    SplitCandidate const found{GainAt(node, left), feature, threshold, missing_left, left.pairs, right};
    if (found.loss_change > 0.0 && IsBetter(found, *best)) *best = found;
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
