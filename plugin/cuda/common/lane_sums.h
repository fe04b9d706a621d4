/// \file Sums of values in device memory, in the host's order (common/lane_sum.h).
#pragma once

#include "common/weighted_sum.h"
#include "cuda/common/cuda_context.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// Returns the sum and waits for it; 8 or 16 bytes cross to the host.
double SumValues(CudaContext const& cuda, Span<double const> values);
WeightedSum SumScores(CudaContext const& cuda, Span<WeightedSum const> scores);

}  // namespace kauri::cuda
