/// \file The first step of AddTableRows.
#pragma once

#include "cuda/common/cuda_context.h"
#include "cuda/hist_vector/add_table_rows.h"

namespace kauri::cuda {

/// Lays the rows of the nodes end to end: sets `plan`.
void PlanRows(CudaContext const& cuda, SumTask const& task);

}  // namespace kauri::cuda
