/// \file Pairs of 1 and 0 for every row, whose sums are the row counts of a histogram.
#pragma once

#include <cstddef>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "kauri/gradient.h"

namespace kauri::cuda {

/// [n_rows]. Asynchronous.
Buffer<FixedPair> MakeOnes(CudaContext const& cuda, std::size_t n_rows);

}  // namespace kauri::cuda
