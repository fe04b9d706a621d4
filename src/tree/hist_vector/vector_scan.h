/// \file Computes the gains of bin boundaries for vector leaves: each output is added to the gains of all boundaries,
/// many boundaries at a time.
///
/// Cost per boundary and output: two divisions. The formulas in vector_gain.h, with outputs ascending, give the same
/// sums bit by bit.
#pragma once

#include <cstdint>

#include "tree/hist_vector/vector_gain.h"

namespace kauri {

/// Arrays of boundaries are padded to a multiple of this.
constexpr std::int64_t kBoundaryBlock = 8;

/// One output at n boundaries. The arrays may be read up to the next multiple of kBoundaryBlock.
struct OutputBoundaries {
  std::int64_t const* gradient;  ///< [n]: sums of the present rows left of each boundary
  std::int64_t const* hessian;   ///< [n]
  std::int64_t n;
  FixedSum offset;           ///< added to both: the missing rows when they go left
  FixedSum total;            ///< sum of the node
  WeightBounds bounds = {};  ///< weight bounds of the node
  int sign = 0;              ///< monotone constraint of the feature
};

/// Results per boundary, summed over the outputs. The arrays are padded like the inputs in OutputBoundaries.
struct BoundarySums {
  double* gain;  ///< gain of both children
  double* hessian_left;
  double* hessian_right;
};

void AddOutput(GainParam const& param, OutputBoundaries const& boundaries, BoundarySums const& sums);

}  // namespace kauri
