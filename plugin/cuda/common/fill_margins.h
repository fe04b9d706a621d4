/// \file Margins that no tree was added to yet, in device memory.
#pragma once

#include "cuda/common/cuda_context.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// margins: [n_rows, n_outputs] := start [n_outputs]. Asynchronous.
void FillMargins(CudaContext const& cuda, Span<float const> start, Span<float> margins);

}  // namespace kauri::cuda
