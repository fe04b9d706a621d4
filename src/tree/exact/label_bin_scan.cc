#include "tree/exact/label_bin_scan.h"

#include "common/threads/parallel_for.h"
#include "tree/split_rules.h"

namespace kauri {

/// One direction of a scan: where missing rows go, and their sums.
struct LabelBinScan::Walk {
  GainParam const& param;
  SegmentView const& segment;
  Node const& node;
  double floor;
  bool missing_left;
  LabelSums const& missing;
  FixedSum missing_pairs;
};

LabelBinScan::LabelBinScan(Context const& ctx, TreeTask const& task)
    : residuals_(ctx, task.errors, task.sampled_rows),
      binner_(residuals_),
      bins_(task.errors.residuals.size()),
      sums_(task.errors.residuals.size()) {}

void LabelBinScan::Prepare(Context const& ctx, Span<ExactNode const> nodes, RowOrder const& rows) {
  nodes_.assign(nodes.size(), {});
  ParallelFor(ctx, static_cast<std::int64_t>(nodes.size()),
              [&](std::int64_t i) { Prepare(nodes[i].range, rows, &nodes_[static_cast<std::size_t>(i)]); });
}

void LabelBinScan::Prepare(PlaceRange const& range, RowOrder const& rows, Node* node) {
  binner_.Find({rows.Rows(), range.begin, range.end}, bins_.data() + range.begin);
  for (auto position = range.begin; position < range.end; ++position) {
    auto const sum = residuals_.Of(rows.RowAt(position));
    sums_[position] = sum;
    node->bins[bins_[position]] += sum;
    node->all += sum;
  }
  node->errors = BinSides(residuals_, node->bins, node->all).RightErrors();
}

/// Considers all boundaries, from the lowest to the highest, and those that separate the missing rows.
void LabelBinScan::WalkUp(Walk const& walk, SplitCandidate* best) const {
  auto const& segment = walk.segment;
  BinSides sides(residuals_, walk.node.bins, walk.node.all);
  auto n_left = walk.missing_left ? segment.limits.rows.of_node - segment.count : 0;
  auto left = walk.missing_left ? walk.missing_pairs : FixedSum{};
  if (walk.missing_left) {
    for (std::size_t bin = 0; bin < kLabelBins; ++bin) sides.MoveLeft(bin, walk.missing[bin]);
  }
  auto const consider = [&](float threshold) {
    auto const right = segment.total - left;
    if (!HasEnoughHessian(left, walk.param) || !HasEnoughHessian(right, walk.param)) return;
    if (segment.limits.rows.IsOn() && !segment.limits.rows.Allows(n_left)) return;
    auto const gain = walk.node.errors - sides.LeftErrors() - sides.RightErrors();
    if (gain < walk.floor || gain <= 0.0) return;
    SplitCandidate const found{gain, segment.feature, threshold, walk.missing_left, left, right};
    if (IsBetter(found, *best)) *best = found;
  };
  auto const* const entries = segment.entries;
  if (walk.missing_left && segment.has_missing) consider(ThresholdBelow(entries[0].value));
  for (std::int64_t i = 0; i < segment.count; ++i) {
    auto const position = entries[i].row;
    sides.MoveLeft(bins_[position], sums_[position]);
    left += segment.pairs[position];
    ++n_left;
    if (i + 1 < segment.count && entries[i].value != entries[i + 1].value)
      consider(MidpointThreshold(entries[i].value, entries[i + 1].value));
  }
  auto const largest = entries[segment.count - 1].value;
  if (!walk.missing_left && segment.has_missing && largest < kLargestValue) consider(ThresholdBeyond(largest));
}

SplitCandidate LabelBinScan::Scan(GainParam const& param, SegmentView const& segment, std::size_t node,
                                  double floor) const {
  auto missing = nodes_[node].bins;
  auto missing_pairs = segment.total;
  for (std::int64_t i = 0; segment.has_missing && i < segment.count; ++i) {
    auto const position = segment.entries[i].row;
    missing[bins_[position]] -= sums_[position];
    missing_pairs = missing_pairs - (FixedSum{} += segment.pairs[position]);
  }
  if (!segment.has_missing) {
    missing = {};
    missing_pairs = {};
  }
  SplitCandidate best;
  auto const goes_up = segment.mode == ScanMode::kBoth;
  for (auto const missing_left : {false, true}) {
    if (missing_left ? !segment.has_missing && goes_up : !goes_up) continue;
    WalkUp({param, segment, nodes_[node], floor, missing_left, missing, missing_pairs}, &best);
  }
  return best;
}

}  // namespace kauri
