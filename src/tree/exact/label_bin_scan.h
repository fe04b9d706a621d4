/// \file split_criterion=absolute_error in the exact method: the best boundary of a segment by label bins.
///
/// Vocabulary as in exact_scan.h and tree/label_bins/label_binner.h.
///
/// 1. Each node of a level has label bins of its own, as in tree_method=hist; its rows' are noted by position.
/// 2. Along a segment row after row goes from the right to the left, and the label bins of the sides' quantiles move
///    along (tree/label_bins/bin_sides.h).
/// 3. Between different values the gain is the errors of the node less those of both sides. Thresholds, the sides of
///    missing rows and what children must have are those of ScanSegment.
///
/// The floor. A row and feature costs a look at 40 bytes of its own and some additions; a boundary two divisions.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/tree_builder.h"
#include "tree/exact/exact_level.h"
#include "tree/label_bins/bin_sides.h"
#include "tree/label_bins/fixed_residuals.h"
#include "tree/label_bins/label_binner.h"

namespace kauri {

class LabelBinScan {
 public:
  /// Of one tree. `task` has errors, and must outlive it.
  LabelBinScan(Context const& ctx, TreeTask const& task);

  /// Sets the label bins of a level's nodes.
  void Prepare(Context const& ctx, Span<ExactNode const> nodes, RowOrder const& rows);
  /// As ScanSegment, of the node at this number; candidates reduce the errors. Segments at once on several threads.
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
  std::vector<ResidualSum> sums_;   ///< likewise
};

}  // namespace kauri
