/// \file Computes the gains of the boundaries between bins, many at a time.
///
/// Cost per boundary in a vector lane: 12 float64 operations without a division. A boundary that can beat the best so
/// far costs two divisions more, and so does every boundary whose loss is added to a score. The formulas in
/// split_gain.h give the same loss changes bit by bit.
#pragma once

#include <cstdint>

#include "kauri/host_device.h"
#include "tree/split_gain.h"

namespace kauri {

/// The n boundaries of one feature for one direction of the missing rows.
struct BinBoundaries {
  FixedSum const* left;  ///< [n]: sums of the present rows left of each boundary
  std::int64_t n;
  FixedSum offset;           ///< added to `left`: the missing rows when they go left
  FixedSum total;            ///< sum of the node
  double node_gain;          ///< NodeGain(total) plus the cost of the feature
  bool keep_last;            ///< among equal loss changes, keeps the last boundary instead of the first
  WeightBounds bounds = {};  ///< weight bounds of the node
  int sign = 0;              ///< monotone constraint of the feature
};

struct BestBin {
  double loss_change = 0.0;    ///< in: the loss change to beat; out: the largest
  std::int64_t boundary = -1;  ///< unchanged when nothing beats it
};

/// Returns the boundary with the largest loss change among those whose children both have enough hessian.
BestBin FindBestBoundary(GainParam const& param, BinBoundaries const& boundaries, double floor);

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
