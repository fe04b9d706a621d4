/// \file A table whose rows are all the same.
#pragma once

#include "cuda/common/cuda_context.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// table: [n_rows, row.size()] := row in every line. Both in device memory; asynchronous.
void FillRows(CudaContext const& cuda, Span<float const> row, Span<float> table);

}  // namespace kauri::cuda
