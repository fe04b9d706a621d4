/// \file Power sums of columns in device memory: src/data/sketch/power_sums.h on the device, bit for bit.
#pragma once

#include <vector>

#include "cuda/common/cuda_context.h"
#include "data/sketch/power_sums.h"
#include "kauri/data_matrix.h"

namespace kauri::cuda {

/// Returns by column, [n_cols], the power sums of its values (NaN: missing) up to power `order`, 2 .. kMaxMoment.
/// weights: [n_rows] on the same device, or null. Reads every value once; besides it takes 168 bytes for each block of
/// 4,096 rows and column. Waits for the sums.
std::vector<PowerSums> SketchColumns(CudaContext const& ctx, DeviceLayout const& rows, float const* weights, int order);

}  // namespace kauri::cuda
