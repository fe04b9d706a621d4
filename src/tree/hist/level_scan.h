/// \file Adds the gains of one node's bin boundaries to the scores of its level.
///
/// Cost per boundary in a vector lane: 12 float64 operations and two divisions. The formulas in split_gain.h give the
/// same loss changes bit by bit.
#pragma once

#include "kauri/host_device.h"
#include "tree/histogram/bin_scan.h"
#include "tree/split_gain.h"

namespace kauri {

/// Returns the loss change of splitting the node at a boundary; `left` is the sum of its left child. Returns minus
/// infinity if a child has too little hessian or the weights violate a monotone constraint. Used on the CPU and on CUDA
/// devices.
KAURI_HD double LossOfBoundary(GainParam const& param, BinBoundaries const& boundaries, FixedSum left) {
  FixedSum const right = boundaries.total - left;
  if (!HasEnoughHessian(left, param) || !HasEnoughHessian(right, param)) return -kInfinity;
  return SplitGain(left, right, param, boundaries.bounds, boundaries.sign) - boundaries.node_gain;
}

/// Adds LossOfBoundary minus `gamma` to `scores` [boundaries.n], except where it is minus infinity.
void AddLosses(GainParam const& param, BinBoundaries const& boundaries, double gamma, double* scores);

}  // namespace kauri
