/// \file The innermost loop of exact split finding: sums and gains along a segment of sorted entries.
///
/// Cost per entry. Loads: 8 bytes of the entry, sequential, and 8 bytes of its gradient pair, gathered. Arithmetic per
/// vector lane: 12 float64 operations without a division; two more divisions only if a candidate can beat the best so
/// far.
#pragma once

#include <cstdint>

#include "tree/exact/exact_scan.h"

namespace kauri {

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
