/// \file The gains of the boundaries between bins for vector leaves: one output after the other is added to the gains
/// of all boundaries, many boundaries at a time.
///
/// Cost per boundary and output: two divisions. The sums have the bits of the formulas in vector_gain.h, outputs
/// ascending.
#pragma once

#include <cstdint>

#include "tree/hist_vector/vector_gain.h"

namespace kauri {

/// Arrays of boundaries are padded to whole blocks of as many.
constexpr std::int64_t kBoundaryBlock = 8;

/// One output at n boundaries. The arrays may be read up to the next multiple of kBoundaryBlock.
struct OutputBoundaries {
  std::int64_t const* gradient;  ///< [n]: sums of the present rows left of each boundary
  std::int64_t const* hessian;   ///< [n]
  std::int64_t n;
  FixedSum offset;           ///< added to both: the missing rows when they go left
  FixedSum total;            ///< of the node
  WeightBounds bounds = {};  ///< of the node
  int sign = 0;              ///< monotone constraint of the feature
};

/// Of each boundary, added up over the outputs; as long as those arrays.
struct BoundarySums {
  double* gain;  ///< of both children
  double* hessian_left;
  double* hessian_right;
};

void AddOutput(GainParam const& param, OutputBoundaries const& boundaries, BoundarySums const& sums);

}  // namespace kauri
