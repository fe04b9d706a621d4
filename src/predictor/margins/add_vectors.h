/// \file Vectors of leaves added to the sums of rows, in vectors of the processor; the same bits on every one.
#pragma once

#include <cstdint>

#include "predictor/forest/forest.h"

namespace kauri {

/// For each of n rows sums[row, k] += vectors[nodes[row], k]; both have `stride` floats in a line, a multiple of
/// kVectorUnit.
void AddVectors(float const* vectors, std::int64_t stride, std::uint32_t const* nodes, std::int64_t n, float* sums);

}  // namespace kauri
