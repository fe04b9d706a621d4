#include "research/absolute_error/label_moments.h"

#include <algorithm>
#include <cmath>

#include "research/absolute_error/exact_errors.h"
#include "research/absolute_error/moment_errors.h"
#include "tree/absolute_error/label_binner.h"

namespace kauri {
namespace {

constexpr std::size_t kMostChosen = 4;

/// Keeps the least estimates, and among equal ones the first.
void Keep(MomentBoundary const& boundary, std::vector<MomentBoundary>* chosen) {
  auto const is_less = [](MomentBoundary const& a, MomentBoundary const& b) { return a.estimate < b.estimate; };
  chosen->insert(std::upper_bound(chosen->begin(), chosen->end(), boundary, is_less), boundary);
  if (chosen->size() > kMostChosen) chosen->pop_back();
}

bool HasMissing(std::vector<MomentCell> const& cells, std::uint32_t n_bins) { return cells.back().code == n_bins; }

/// Sets right[i] to the sums right of cells[0 .. i], all of which are present values. With `missing`, the last cell,
/// which holds the missing rows, is included.
void MergeDownwards(std::vector<MomentCell> const& cells, std::size_t n_present, bool missing,
                    std::vector<PowerSums>* right) {
  right->resize(n_present);
  auto sums = missing ? cells.back().sums : PowerSums();
  for (auto i = n_present; i-- > 0;) {
    (*right)[i] = sums;
    sums = cells[i].sums.MergedWith(sums);
  }
}

}  // namespace

void LabelMomentSearch::Prepare(LabelMomentNode* node) const {
  auto const values = residuals_.Values();
  node->all = {};
  node->ascending.clear();
  for (auto position = node->rows.begin; position < node->rows.end; ++position) {
    auto const row = RowAt(node->rows, position);
    if (residuals_.Of(row).weight <= 0) continue;
    node->all += residuals_.Of(row);
    node->ascending.push_back(static_cast<std::uint32_t>(row));
  }
  std::stable_sort(node->ascending.begin(), node->ascending.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; });
  constexpr double kTail = 0.01;
  auto const total = static_cast<double>(node->all.weight);
  ExactErrors errors(residuals_, node->all);
  ResidualSum below;
  for (auto const row : node->ascending) {
    auto const before = static_cast<double>(below.weight);
    below += residuals_.Of(row);
    errors.Add(values[row], residuals_.Of(row));
    if (before < kTail * total) node->low = values[row];
    if (before < (1.0 - kTail) * total) node->high = values[row];
  }
  node->errors = errors.Errors();
  if (node->ascending.empty() || node->low < node->high) return;
  node->low = values[node->ascending.front()];
  node->high = values[node->ascending.back()];
}

void LabelMomentSearch::SortByCode(LabelMomentNode const& node, std::uint32_t feature, Scratch* scratch) const {
  auto const n_codes = static_cast<std::size_t>(bins_.NumBins(feature)) + 1;  // the last is for missing values
  auto const& rows = node.rows;
  // Two more than bins: counts go to [code + 2], and placing advances [code + 1], so that [code] is the first position
  // in the end.
  scratch->begin.assign(n_codes + 2, 0);
  scratch->rows.resize(static_cast<std::size_t>(rows.end - rows.begin));
  WithCodes(bins_, feature, [&](auto const& code_of) {
    for (auto position = rows.begin; position < rows.end; ++position) {
      ++scratch->begin[code_of(RowAt(rows, position)) + 2];
    }
    for (std::size_t code = 2; code < n_codes + 2; ++code) scratch->begin[code] += scratch->begin[code - 1];
    for (auto position = rows.begin; position < rows.end; ++position) {
      auto const row = RowAt(rows, position);
      scratch->rows[scratch->begin[code_of(row) + 1]++] = static_cast<std::uint32_t>(row);
    }
  });
}

MomentCell LabelMomentSearch::CellOf(std::uint32_t code, LabelMomentNode const& node, Scratch* scratch) const {
  MomentCell cell;
  cell.code = code;
  scratch->values.clear();
  scratch->weights.clear();
  for (auto place = scratch->begin[code]; place < scratch->begin[code + 1]; ++place) {
    auto const row = scratch->rows[place];
    ++cell.n_rows;
    cell.pairs += pairs_[row];
    cell.residuals += residuals_.Of(row);
    scratch->values.push_back(std::clamp(residuals_.Values()[row], node.low, node.high));
    scratch->weights.push_back(static_cast<float>(residuals_.WeightOf(residuals_.Of(row))));
  }
  PowerSumTree sums(kErrorMoments);
  sums.Add(scratch->values, scratch->weights);
  cell.sums = sums.Sums();
  return cell;
}

void LabelMomentSearch::MakeCells(LabelMomentNode const& node, Scratch* scratch) const {
  scratch->cells.clear();
  for (std::uint32_t code = 0; code + 2 < scratch->begin.size(); ++code) {
    if (scratch->begin[code] < scratch->begin[code + 1]) scratch->cells.push_back(CellOf(code, node, scratch));
  }
}

bool LabelMomentSearch::IsAllowed(LabelMomentNode const& node, FixedSum const& left, std::int64_t n_left) const {
  auto const least = node.total->rows.least;
  if (least > 1 && !RowLimit{least, node.rows.end - node.rows.begin}.Allows(n_left)) return false;
  return HasEnoughHessian(left, gain_) && HasEnoughHessian(node.total->sum - left, gain_);
}

void LabelMomentSearch::Consider(LabelMomentNode const& node, std::uint32_t feature, bool missing_left,
                                 Scratch* scratch) const {
  auto const& cells = scratch->cells;
  auto const n_bins = bins_.NumBins(feature);
  auto const* const cuts = bins_.Cuts().Of(feature);
  auto const has_missing = HasMissing(cells, n_bins);
  auto const n_present = cells.size() - (has_missing ? 1 : 0);
  MergeDownwards(cells, n_present, has_missing && !missing_left, &scratch->right);
  MomentCell left;
  if (missing_left) left = cells.back();
  for (std::size_t i = 0; i < n_present; ++i) {
    auto const& cell = cells[i];
    left.sums = left.sums.MergedWith(cell.sums);
    left.pairs += cell.pairs;
    left.residuals += cell.residuals;
    left.n_rows += cell.n_rows;
    auto const is_last = i + 1 == n_present;
    if (is_last && (missing_left || !has_missing || !std::isfinite(cuts[cell.code]))) break;
    if (!IsAllowed(node, left.pairs, left.n_rows)) continue;
    auto const& errors = residuals_.Errors();
    auto const estimate = EstimateErrors(left.sums, errors) + EstimateErrors(scratch->right[i], errors);
    auto const threshold = missing_left ? cuts[cells[i + 1].code - 1] : cuts[cell.code];
    Keep({cell.code, missing_left, threshold, left.pairs, left.residuals, estimate}, &scratch->chosen);
  }
}

SplitCandidate LabelMomentSearch::BestOfChosen(LabelMomentNode const& node, std::uint32_t feature,
                                               Scratch const& scratch) const {
  struct Sides {
    ExactErrors left;
    ExactErrors right;
  };
  std::vector<Sides> sides;
  for (auto const& boundary : scratch.chosen) {
    sides.push_back({{residuals_, boundary.residuals}, {residuals_, node.all - boundary.residuals}});
  }
  auto const n_bins = bins_.NumBins(feature);
  WithCodes(bins_, feature, [&](auto const& code_of) {
    for (auto const row : node.ascending) {
      auto const code = code_of(static_cast<std::int64_t>(row));
      for (std::size_t i = 0; i < sides.size(); ++i) {
        auto const& boundary = scratch.chosen[i];
        auto const is_left = code == n_bins ? boundary.missing_left : code <= boundary.code;
        (is_left ? sides[i].left : sides[i].right).Add(residuals_.Values()[row], residuals_.Of(row));
      }
    }
  });
  SplitCandidate best;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    auto const& chosen = scratch.chosen[i];
    auto const gain = node.errors - sides[i].left.Errors() - sides[i].right.Errors();
    auto const right = node.total->sum - chosen.left;
    SplitCandidate const found{gain, feature, chosen.threshold, chosen.missing_left, chosen.left, right};
    if (gain > 0.0 && IsBetter(found, best)) best = found;
  }
  return best;
}

SplitCandidate LabelMomentSearch::Find(LabelMomentNode const& node, std::uint32_t feature, Scratch* scratch) const {
  if (node.rows.end == node.rows.begin) return {};
  SortByCode(node, feature, scratch);
  MakeCells(node, scratch);
  scratch->chosen.clear();
  Consider(node, feature, false, scratch);
  auto const& cells = scratch->cells;
  if (HasMissing(cells, bins_.NumBins(feature)) && cells.size() > 1) Consider(node, feature, true, scratch);
  return BestOfChosen(node, feature, *scratch);
}

}  // namespace kauri
