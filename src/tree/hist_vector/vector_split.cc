#include "tree/hist_vector/vector_split.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tree/hist_vector/vector_adder.h"
#include "tree/hist_vector/vector_categories.h"
#include "tree/hist_vector/vector_scan.h"
#include "tree/rows/code_split.h"

namespace kauri {
namespace {

constexpr std::int64_t kOutputsPerTile = 16;  // their sums at 256 boundaries stay in the first two cache levels

BoundarySums SumsIn(std::vector<double>* sums, std::int64_t n) {
  return {sums->data(), sums->data() + n, sums->data() + 2 * n};
}

}  // namespace

/// The boundaries of one feature of one node. Boundary i follows the i-th bin with rows.
struct VectorSplitFinder::Scan {
  VectorCells const* cells;
  VectorTotal const* node;
  VectorScanScratch* scratch;
  std::int64_t n;  // bins with rows
  bool has_missing;
  int sign;
  double gain_to_beat;
  // The boundaries whose gains are requested, starting at the beginning of a block.
  std::int64_t first = 0;
  std::int64_t end = n;
  std::int64_t n_padded = 0;  // padded to whole blocks, possibly with one extra block

  std::int64_t NumWanted() const { return end - first; }
};

void VectorSplitFinder::CollectBins(VectorCells const& cells, VectorTotal const& node,
                                    VectorScanScratch* scratch) const {
  auto const n_bins = bins_->NumBins(cells.feature);
  scratch->codes.resize(n_bins);
  scratch->codes.resize(CollectUsed(cells.sums, cells.stride, n_bins, scratch->codes.data()));
  if (bins_->IsDense()) {
    auto const code = bins_->MissingCode(cells.feature);
    scratch->missing.assign(cells.stride, 0);
    if (code != kNoCode) scratch->missing.assign(cells.Of(code), cells.Of(code) + cells.stride);
  } else {
    scratch->missing = node.sums;
    for (auto const code : scratch->codes) SubtractSums(cells.Of(code), ToSize(cells.stride), scratch->missing.data());
  }
}

/// Narrows the boundaries to a random threshold, if one is drawn. The boundary that separates the missing rows is kept.
void VectorSplitFinder::Narrow(Scan* scan) const {
  auto const& node = *scan->node;
  scan->scratch->before.assign(node.sums.size(), 0);
  if (!node.draw.is_on || param_->LimitOf(node.sums.data()).IsOn()) return;
  auto const between = node.draw.RangeOf(scan->cells->feature, scan->n - 1);
  scan->first = between.first / kBoundaryBlock * kBoundaryBlock;
  if (!scan->has_missing) scan->end = between.end;
  Span<std::uint32_t const> const before(scan->scratch->codes.data(), ToSize(scan->first));
  AddCells(scan->cells->sums, scan->cells->stride, before, scan->scratch->before.data());
}

/// Computes left [n, n_padded]: the sums at positions [first, first + n) of the cells up to each boundary. It processes
/// a block of boundaries at a time, so that both reads and writes are contiguous.
void VectorSplitFinder::SumUp(Scan const& scan, std::int64_t first, std::int64_t n, std::int64_t* left) {
  std::array<std::int64_t const*, kBoundaryBlock> sums{};
  for (auto begin = scan.first; begin < scan.end; begin += kBoundaryBlock) {
    auto const n_here = std::min(kBoundaryBlock, scan.end - begin);
    for (std::int64_t i = 0; i < n_here; ++i) {
      sums[i] = scan.cells->Of(scan.scratch->codes[begin + i]) + first;
    }
    for (std::int64_t k = 0; k < n; ++k) {
      auto* const to = left + k * scan.n_padded + begin - scan.first;
      auto sum = begin == scan.first ? scan.scratch->before[first + k] : to[-1];
      for (std::int64_t i = 0; i < n_here; ++i) to[i] = sum += sums[i][k];
    }
  }
}

/// Adds the gains of outputs [first, last) to all boundaries.
void VectorSplitFinder::AddTile(Scan const& scan, std::int64_t first, std::int64_t last) const {
  auto* const scratch = scan.scratch;
  auto const n_outputs = last - first;
  auto const n_hessians = param_->n_hessians == 1 ? 1 : n_outputs;
  scratch->left.resize(std::max(scratch->left.size(), ToSize((n_outputs + n_hessians) * scan.n_padded)));
  auto* const left = scratch->left.data();
  SumUp(scan, first, n_outputs, left);
  SumUp(scan, param_->HessianPlace(first), n_hessians, left + n_outputs * scan.n_padded);
  for (std::int64_t k = 0; k < n_outputs; ++k) {
    auto const* hessians = left + (n_outputs + (n_hessians == 1 ? 0 : k)) * scan.n_padded;
    auto const total = param_->SumOf(scan.node->sums.data(), first + k);
    auto const missing = param_->SumOf(scratch->missing.data(), first + k);
    OutputBoundaries boundaries{left + k * scan.n_padded, hessians, scan.NumWanted(), {}, total, {}, scan.sign};
    if (!scan.node->bounds.empty()) boundaries.bounds = scan.node->bounds[first + k];
    AddOutput(param_->Of(first + k), boundaries, SumsIn(&scratch->up, scan.n_padded));
    if (!scan.has_missing) continue;
    boundaries.offset = missing;
    AddOutput(param_->Of(first + k), boundaries, SumsIn(&scratch->down, scan.n_padded));
  }
}

/// Returns the boundaries that leave enough rows to both children.
BoundaryRange VectorSplitFinder::Allowed(Scan const& scan, BoundaryRange const& range, bool missing_left) const {
  auto const limit = param_->LimitOf(scan.node->sums.data());
  if (!limit.IsOn()) return range;
  auto const place = param_->RowsPlace();
  auto* const n_left = scan.scratch->left.data();
  SumUp(scan, place, 1, n_left);
  auto const n_missing = missing_left ? scan.scratch->missing[place] : 0;
  auto const allowed =
      AllowedBoundaries(limit, range.end, [&](std::int64_t boundary) { return n_left[boundary] + n_missing; });
  return {std::max(range.first, allowed.first), allowed.end};
}

/// Returns the best boundary of the range and stores its loss change and feature in *best; -1 if none is better. Among
/// equals it takes the last if the missing rows go left, and the first otherwise.
std::int64_t VectorSplitFinder::BestOf(Scan const& scan, BoundaryRange const& range, bool missing_left,
                                       SplitCandidate* best) const {
  auto const sums = SumsIn(missing_left ? &scan.scratch->down : &scan.scratch->up, scan.n_padded);
  auto const allowed = Allowed(scan, range, missing_left);
  std::int64_t boundary = -1;
  for (auto i = allowed.first; i < allowed.end; ++i) {
    auto const at = i - scan.first;
    auto const loss_change = sums.gain[at] - scan.gain_to_beat;
    auto const is_later_equal = missing_left && boundary >= 0 && loss_change == best->loss_change;
    if (!(loss_change > best->loss_change) && !is_later_equal) continue;
    if (!param_->HasEnough(sums.hessian_left[at]) || !param_->HasEnough(sums.hessian_right[at])) continue;
    best->loss_change = loss_change;
    boundary = i;
  }
  if (boundary >= 0) best->feature = scan.cells->feature;
  return boundary;
}

void VectorSplitFinder::Keep(Scan const& scan, SplitCandidate* best) const {
  auto const* cuts = bins_->Cuts().Of(scan.cells->feature);
  auto const* codes = scan.scratch->codes.data();
  auto const keep_up = [&](BoundaryRange const& range) {
    auto const up = BestOf(scan, range, false, best);
    if (up < 0) return;
    best->threshold = cuts[codes[up]];
    best->default_left = false;
  };
  auto const& draw = scan.node->draw;
  auto const between = draw.RangeOf(scan.cells->feature, scan.n - 1);
  // A bin whose upper edge is infinite has no threshold above it.
  auto const splits_off_missing = scan.has_missing && std::isfinite(cuts[codes[scan.n - 1]]);
  auto const is_one = splits_off_missing && !draw.is_on;
  keep_up({between.first, is_one ? scan.n : between.end});
  if (splits_off_missing && !is_one) keep_up({scan.n - 1, scan.n});
  if (!scan.has_missing) return;
  auto const down = BestOf(scan, between, true, best);
  if (down < 0) return;
  best->threshold = cuts[codes[down + 1] - 1];
  best->default_left = true;
}

/// Considers sending all present rows to the right: a candidate only if a monotone constraint distinguishes it from its
/// mirror image.
void VectorSplitFinder::KeepMissingAlone(Scan const& scan, SplitCandidate* best) const {
  double gain = 0.0;
  double hessian_left = 0.0;
  double hessian_right = 0.0;
  for (std::int64_t output = 0; output < param_->NumOutputs(); ++output) {
    auto const& param = param_->Of(output);
    auto const left = param_->SumOf(scan.scratch->missing.data(), output);
    auto const right = param_->SumOf(scan.node->sums.data(), output) - left;
    gain += OutputSplitGain(left, right, param, scan.node->bounds[output], scan.sign);
    hessian_left += HessianOf(left, param);
    hessian_right += HessianOf(right, param);
  }
  if (!param_->HasEnough(hessian_left) || !param_->HasEnough(hessian_right)) return;
  auto const limit = param_->LimitOf(scan.node->sums.data());
  if (limit.IsOn() && !limit.Allows(scan.scratch->missing[param_->RowsPlace()])) return;
  auto const loss_change = gain - scan.gain_to_beat;
  if (!(loss_change > best->loss_change)) return;
  auto const feature = scan.cells->feature;
  auto const first = scan.scratch->codes[0];
  auto const& cuts = bins_->Cuts();
  best->loss_change = loss_change;
  best->feature = feature;
  best->threshold = first > 0 ? cuts.Of(feature)[first - 1] : cuts.min_values[feature];
  best->default_left = true;
}

void VectorSplitFinder::Find(VectorCells const& cells, VectorTotal const& node, VectorScanScratch* scratch,
                             SplitCandidate* best) const {
  if (bins_->Cuts().IsCategorical(cells.feature)) {
    return node.noise.Compete(
        cells.feature,
        [&](SplitCandidate* to) {
          FindVectorCategories({*param_, bins_->Cuts(), rules_, cells, node}, to);
        },
        best);
  }
  CollectBins(cells, node, scratch);
  FindAmong(cells, node, scratch, best);
}

/// Returns kIsSeen if some hessian is positive and none is negative: then no sum of such rows is zero in all places.
/// row: [NumSums()], the gradients of the outputs followed by the hessians, in fixed point.
RowKind VectorSplitFinder::KindOf(SumRow row) const {
  // Each has a bit set if any of its values has, including the sign bit: it is negative if any value is.
  std::int64_t gradients = 0;
  std::int64_t hessians = 0;
  for (std::int64_t output = 0; output < param_->NumOutputs(); ++output) gradients |= row[output];
  for (auto place = param_->NumOutputs(); place < NumSums(); ++place) hessians |= row[place];
  if (hessians > 0) return RowKind::kIsSeen;
  return (hessians | gradients) == 0 ? RowKind::kAddsNothing : RowKind::kMayCancel;
}

SplitCandidate VectorSplitFinder::FindDrawn(DrawnColumns const& drawn, VectorTotal const& node,
                                            VectorScanScratch* scratch) const {
  auto const n = drawn.n_columns;
  scratch->up.assign(3 * n, 0.0);
  auto const sums = SumsIn(&scratch->up, n);
  for (std::int64_t output = 0; output < param_->NumOutputs(); ++output) {
    auto const* const hessians = drawn.left.data() + param_->HessianPlace(output) * n;
    AddOutput(param_->Of(output),
              {drawn.left.data() + output * n, hessians, n, {}, param_->SumOf(node.sums.data(), output)}, sums);
  }
  SplitCandidate best;
  for (std::int64_t column = 0; column < n; ++column) {
    auto const loss_change = sums.gain[column] - node.gain;
    if (drawn.below[column] == 0 || !(loss_change > best.loss_change)) continue;
    if (!param_->HasEnough(sums.hessian_left[column]) || !param_->HasEnough(sums.hessian_right[column])) continue;
    best.loss_change = loss_change;
    best.feature = static_cast<std::uint32_t>(column);
  }
  if (best.IsValid()) best.threshold = bins_->Cuts().Of(best.feature)[drawn.below[best.feature] - 1];
  return best;
}

void VectorSplitFinder::FindAmong(VectorCells const& cells, VectorTotal const& node, VectorScanScratch* scratch,
                                  SplitCandidate* best) const {
  node.noise.Compete(
      cells.feature, [&](SplitCandidate* to) { FindBetween(cells, node, scratch, to); }, best);
}

void VectorSplitFinder::FindBetween(VectorCells const& cells, VectorTotal const& node, VectorScanScratch* scratch,
                                    SplitCandidate* best) const {
  auto const has_missing = HoldsRows(scratch->missing.data(), cells.stride);
  auto const n = static_cast<std::int64_t>(scratch->codes.size());
  if (n == 0 || (n == 1 && !has_missing)) return;
  Scan scan{&cells, &node, scratch, n, has_missing, SignOf(cells.feature), node.GainToBeat(cells.feature)};
  Narrow(&scan);
  // An odd number of blocks keeps adjacent arrays from falling on the same cache lines.
  scan.n_padded = (2 * ((scan.NumWanted() + kBoundaryBlock - 1) / kBoundaryBlock / 2) + 1) * kBoundaryBlock;
  scratch->up.assign(3 * scan.n_padded, 0.0);
  if (has_missing) scratch->down.assign(3 * scan.n_padded, 0.0);
  for (std::int64_t first = 0; first < param_->NumOutputs(); first += kOutputsPerTile) {
    AddTile(scan, first, std::min(first + kOutputsPerTile, param_->NumOutputs()));
  }
  Keep(scan, best);
  if (has_missing && scan.sign != 0) KeepMissingAlone(scan, best);
}

void VectorSplitFinder::Describe(VectorCells const& cells, SplitCandidate const& split, VectorTotal* node) const {
  auto const& cuts = bins_->Cuts();
  if (cuts.IsCategorical(split.feature)) return DescribeCategories({*param_, cuts, rules_, cells, *node}, split, node);
  std::vector<std::uint8_t> goes_right(bins_->NumBins(split.feature), 0);
  auto const first = FirstRight(cuts, split.feature, split.threshold);
  std::fill(goes_right.begin() + first, goes_right.end(), std::uint8_t{1});
  SumLeft(cells, split, goes_right, node);
}

}  // namespace kauri
