/// \file Adds the leaves of trees with vector leaves to margins.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// margins[row, output] += leaf_vectors[leaf_of_row[row], output]. leaf_vectors: [n_nodes, n_outputs]; all on the
/// device.
void AddLeafVectors(CudaContext const& cuda, Span<float const> leaf_vectors, Span<std::int32_t const> leaf_of_row,
                    std::int64_t n_outputs, Span<float> margins);

}  // namespace kauri::cuda
