/// \file The gains of the boundaries between bins in one node, added to those of the other nodes of its level.
///
/// Cost per boundary in a vector lane: 12 float64 operations and two divisions. The losses have the bits of the
/// formulas in split_gain.h.
#pragma once

#include "kauri/host_device.h"
#include "tree/histogram/bin_scan.h"
#include "tree/split_gain.h"

namespace kauri {

/// What the loss changes by where the node is split at a boundary, `left` being the sum of its left child; minus
/// infinity where a child has too little hessian, or weights are in the wrong order. On both sides.
KAURI_HD double LossOfBoundary(GainParam const& param, BinBoundaries const& boundaries, FixedSum left) {
  FixedSum const right = boundaries.total - left;
  if (!HasEnoughHessian(left, param) || !HasEnoughHessian(right, param)) return -kInfinity;
  return SplitGain(left, right, param, boundaries.bounds, boundaries.sign) - boundaries.node_gain;
}

/// Adds LossOfBoundary less `gamma` to `scores` [boundaries.n], but nothing where it is minus infinity.
void AddLosses(GainParam const& param, BinBoundaries const& boundaries, double gamma, double* scores);

}  // namespace kauri
