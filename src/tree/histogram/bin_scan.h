/// \file The gains of the boundaries between bins, many at a time.
///
/// Cost per boundary in a vector lane: 12 float64 operations without a division; two divisions only where a boundary
/// can beat the best so far. The losses have the bits of the formulas in split_gain.h.
#pragma once

#include <cstdint>

#include "tree/split_gain.h"

namespace kauri {

/// n boundaries of one feature and one direction of the missing rows.
struct BinBoundaries {
  FixedSum const* left;  ///< [n]: sums of the present rows left of each boundary
  std::int64_t n;
  FixedSum offset;           ///< added to `left`: the missing rows when they go left
  FixedSum total;            ///< of the node
  double node_gain;          ///< NodeGain(total), and the cost of the feature
  bool keep_last;            ///< which of equal losses: the last boundary, or the first
  WeightBounds bounds = {};  ///< of the node
  int sign = 0;              ///< monotone constraint of the feature
};

struct BestBin {
  double loss_change = 0.0;    ///< in: what must be beaten; out: the best
  std::int64_t boundary = -1;  ///< unchanged when nothing beats it
};

/// The boundary with the largest loss change, both of whose children have enough hessian.
BestBin FindBestBoundary(GainParam const& param, BinBoundaries const& boundaries, double floor);

}  // namespace kauri
