/// \file Trees with vector leaves in device memory, symmetric or not.
#pragma once

#include <memory>

#include "cuda/hist_vector/gpu_vector_grower.h"

namespace kauri::cuda {

/// Grows a tree in *data, which is made from these bins if it is null. Several devices of the context share the rows; a
/// symmetric tree uses only the first device.
/// \throws Error(kParameter) for more outputs than a device has room for; Error(kMemory).
Tree GrowVectors(Context const& ctx, GrowthRules const& rules, VectorTask const& task, DeviceBins const& bins,
                 std::unique_ptr<VectorOnDevice>* data);

}  // namespace kauri::cuda
