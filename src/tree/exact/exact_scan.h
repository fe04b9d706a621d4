/// \file Finds the best split of one node at one feature, from its entries in ascending order of value.
///
/// Vocabulary. A segment is the entries of one feature in one node. A boundary follows an entry; the entries up to it
/// go left. An upward scan sends the missing rows right, a downward scan sends them left.
#pragma once

#include <cstdint>

#include "data/sorted_columns.h"
#include "kauri/gradient.h"
#include "tree/split_gain.h"
#include "tree/split_rules.h"

namespace kauri {

/// Scans of a feature, as in XGBoost's exact method. A column without missing values only has the downward scan, so
/// that equal splits keep the highest threshold and send unseen missing values left. So does a column with a single
/// value.
enum class ScanMode { kDownwards, kBoth };

inline ScanMode ScanModeOf(SortedColumns const& columns, std::int64_t feature) {
  return columns.IsComplete(feature) || columns.IsConstant(feature) ? ScanMode::kDownwards : ScanMode::kBoth;
}

/// A segment; not owning. `row` of an entry is its position, and pairs[entry.row] its gradient pair. Alternatively
/// `sums` holds the sum of the rows of each entry's value, and `row` is unused.
struct SegmentView {
  ColumnEntry const* entries = nullptr;  ///< [count], at least one
  std::int64_t count = 0;
  FixedPair const* pairs = nullptr;
  FixedSum const* sums = nullptr;  ///< [count]; nullptr if `pairs` is used
  FixedSum before;                 ///< sum left of all boundaries, in addition to what the direction sends left
  FixedSum total;                  ///< sum of the node
  double node_gain = 0.0;          ///< NodeGain(total) plus the cost of the feature
  WeightBounds bounds;             ///< weight bounds of the node
  int sign = 0;                    ///< monotone constraint of the feature
  SplitLimits limits;              ///< if rows are limited, there are no `sums`
  bool has_missing = false;        ///< some rows of the node miss the feature
  std::uint32_t feature = 0;
  ScanMode mode = ScanMode::kDownwards;
};

/// Returns the best candidate of the segment by IsBetter among those whose loss change is at least `floor`, or an
/// invalid candidate. `floor` is a loss change that other candidates have reached; it only saves work.
///
/// Splits between two neighbouring values have their midpoint as threshold. If rows are missing, all present values may
/// go to one side. To the left: below largest + (|largest| + 1e-6); if that exceeds float32, the threshold is the
/// largest float32 (if `largest` itself is that value, only the mirrored split exists). To the right: at or above
/// smallest - (|smallest| + 1e-6), but not below the lowest float32. Both are correct for every finite value, because a
/// value goes left iff it is below the threshold.
SplitCandidate ScanSegment(GainParam const& param, SegmentView const& segment, double floor);

// The innermost loop of exact split finding: sums and gains along a segment of sorted entries.
//
// Cost per entry. Loads: 8 bytes of the entry, sequential, and 8 bytes of its gradient pair, gathered. Arithmetic per
// vector lane: 12 float64 operations without a division; two more divisions only if a candidate can beat the best so
// far.

/// The best boundary of one scan. `last` is the index of the last entry on the left.
struct BestBoundary {
  double loss_change = 0.0;  ///< the loss change to beat while last < 0
  std::int64_t last = -1;
  FixedSum left;  ///< includes the missing rows if they go left
};

/// Considers each boundary between two different values. missing_left: sum of the missing rows when they go left.
/// `upwards` keeps the lowest of equal boundaries, `downwards` the highest; either may be null.
void ScanBoundaries(GainParam const& param, SegmentView const& segment, FixedSum missing_left, BestBoundary* upwards,
                    BestBoundary* downwards);

}  // namespace kauri
