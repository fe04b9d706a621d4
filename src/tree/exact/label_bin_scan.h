/// \file split_criterion=absolute_error in the exact method: finds the best boundary of a segment by label bins.
///
/// Vocabulary as in exact_scan.h and tree/absolute_error/label_binner.h.
///
/// 1. Each node of a level has its own label bins, as in tree_method=hist. The bins of its rows are stored by position.
/// 2. Along a segment, row after row moves from the right to the left, and the label bins of both sides' quantiles are
///    updated (tree/absolute_error/bin_sides.h).
/// 3. Between different values the gain is the node's errors minus the errors of both sides. Thresholds, directions of
///    missing rows and conditions on children are the same as in ScanSegment.
///
/// Lower bound of the cost: per row and feature, reading 40 bytes and some additions; per boundary, two divisions.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/tree_builder.h"
#include "tree/absolute_error/bin_sides.h"
#include "tree/absolute_error/fixed_residuals.h"
#include "tree/absolute_error/label_binner.h"
#include "tree/exact/exact_level.h"

namespace kauri {

class LabelBinScan {
 public:
  /// Serves one tree. `task` has errors, and must outlive this object.
  LabelBinScan(Context const& ctx, TreeTask const& task);

  /// Sets the label bins of a level's nodes.
  void Prepare(Context const& ctx, Span<ExactNode const> nodes, RowOrder const& rows);
  /// Does what ScanSegment does, for the node with this index; candidates reduce the errors. Threads may scan segments
  /// concurrently.
  SplitCandidate Scan(GainParam const& param, SegmentView const& segment, std::size_t node, double floor) const;

 private:
  struct Node {
    LabelSums bins{};
    ResidualSum all;
    double errors = 0.0;
  };
  struct Walk;

  void Prepare(PlaceRange const& range, RowOrder const& rows, Node* node);
  void WalkUp(Walk const& walk, SplitCandidate* best) const;

  FixedResiduals residuals_;
  LabelBinner binner_;
  std::vector<Node> nodes_;
  std::vector<std::uint8_t> bins_;  ///< by position
  std::vector<ResidualSum> sums_;   ///< by position
};

}  // namespace kauri
