/// \file Sums of values in device memory, in the host's order (common/lane_sum.h).
#pragma once

#include "common/weighted_sum.h"
#include "cuda/common/cuda_context.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// Waits for the sum; 8 and 16 bytes cross to the host.
double SumValues(CudaContext const& cuda, Span<double const> values);
WeightedSum SumScores(CudaContext const& cuda, Span<WeightedSum const> scores);

}  // namespace kauri::cuda
