/// \file Addition of leaf vectors to the sums of rows, vectorised; the bits are the same on every processor.
#pragma once

#include <cstdint>

#include "predictor/forest/forest.h"

namespace kauri {

/// Adds vectors[nodes[row], k] to sums[row, k] for each of n rows. Both arrays have `stride` floats per row, a multiple
/// of kVectorUnit.
void AddVectors(float const* vectors, std::int64_t stride, std::uint32_t const* nodes, std::int64_t n, float* sums);

}  // namespace kauri
