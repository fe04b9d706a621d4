/// \file What the counts of rows in a histogram are made of: a pair of 1 and 0 for every row.
#pragma once

#include <cstddef>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "kauri/gradient.h"

namespace kauri::cuda {

/// [n_rows]. Asynchronous.
Buffer<FixedPair> MakeOnes(CudaContext const& cuda, std::size_t n_rows);

}  // namespace kauri::cuda
