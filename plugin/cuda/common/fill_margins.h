/// \file Initial margins, before any tree is added, in device memory.
#pragma once

#include "cuda/common/cuda_context.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// Sets margins, [n_rows, n_outputs], to start, [n_outputs]. Asynchronous.
void FillMargins(CudaContext const& cuda, Span<float const> start, Span<float> margins);

}  // namespace kauri::cuda
