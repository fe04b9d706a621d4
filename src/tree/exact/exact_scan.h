/// \file The best split of one node on one feature, from its entries in ascending order of value.
///
/// Vocabulary. A segment is the entries of one feature in one node. A boundary follows an entry; the entries up to it
/// go left. Scanning upwards sends the missing rows right, downwards left.
#pragma once

#include <cstdint>

#include "data/sorted_columns.h"
#include "kauri/gradient.h"
#include "tree/split_gain.h"
#include "tree/threshold_draw.h"

namespace kauri {

/// Which scans a feature gets, as XGBoost's exact method has them: a column without missing values only the downward
/// one (so equal splits keep the highest threshold and send unseen missing values left), a column with a single value
/// too.
enum class ScanMode { kDownwards, kBoth };

inline ScanMode ScanModeOf(SortedColumns const& columns, std::int64_t feature) {
  return columns.IsComplete(feature) || columns.IsConstant(feature) ? ScanMode::kDownwards : ScanMode::kBoth;
}

/// A segment; not owning. `row` of an entry is its position, and pairs[entry.row] its gradient pair; or `sums` says for
/// each entry what the rows of its value sum up to, and `row` has no meaning.
struct SegmentView {
  ColumnEntry const* entries = nullptr;  ///< [count], at least one
  std::int64_t count = 0;
  FixedPair const* pairs = nullptr;
  FixedSum const* sums = nullptr;  ///< [count], or nullptr: `pairs` holds
  FixedSum before;                 ///< left of all boundaries, besides what a direction sends there
  FixedSum total;                  ///< of the node
  double node_gain = 0.0;          ///< NodeGain(total), and the cost of the feature
  WeightBounds bounds;             ///< of the node
  int sign = 0;                    ///< monotone constraint of the feature
  SplitLimits limits;              ///< where rows are limited, there are no `sums`
  bool has_missing = false;        ///< rows of the node lack the feature
  std::uint32_t feature = 0;
  ScanMode mode = ScanMode::kDownwards;
};

/// The best candidate of the segment by IsBetter, among those whose loss change is at least `floor` (an invalid
/// candidate when there is none). `floor` is what is known to be reached: it only saves work.
///
/// Splits between two neighbouring values have their midpoint as threshold. Where rows are missing, all present values
/// may go to one side: to the left below largest + (|largest| + 1e-6), unless that is beyond float32, where the
/// threshold is the largest float32 (when `largest` itself is that, only the mirrored split exists); to the right at or
/// above smallest -
/// (|smallest| + 1e-6), no less than the lowest float32. Both are sound for every finite value, since a value goes left
/// iff it is below the threshold.
SplitCandidate ScanSegment(GainParam const& param, SegmentView const& segment, double floor);

}  // namespace kauri
