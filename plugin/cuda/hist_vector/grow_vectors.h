/// \file Trees with vector leaves in device memory, whatever their levels share.
#pragma once

#include <memory>

#include "cuda/hist_vector/gpu_vector_grower.h"

namespace kauri::cuda {

/// Grows a tree in *data, which is made of these bins where it is null; several devices of the context share the rows,
/// but those of symmetric trees, which the first has.
/// \throws Error(kParameter) for more outputs than a device has room for; Error(kMemory).
Tree GrowVectors(Context const& ctx, GrowthRules const& rules, VectorTask const& task, DeviceBins const& bins,
                 std::unique_ptr<VectorOnDevice>* data);

}  // namespace kauri::cuda
