/// \file Rows that lie in device memory through a forest, without a trip through the host.
#pragma once

#include <memory>

#include "cuda/data/device_floats.h"
#include "cuda/forest/device_forest.h"
#include "cuda/forest/walk_forest.h"
#include "kauri/predictor.h"

namespace kauri::cuda {

/// As WalkForest takes them. \throws Error(kDevice) unless they are on the device of `cuda`.
DeviceRows RowsOn(CudaContext const& cuda, DeviceStorage const& rows);

/// Margins or leaves, [n_rows, width]; `trees` numbered within the forest. Asynchronous on the result's own stream.
/// \throws Error(kDevice) unless rows and forest are on one device, Error(kMemory).
std::unique_ptr<OwnedFloats> PredictDeviceRows(DeviceForest const& forest, DeviceStorage const& rows, PredictKind kind,
                                               TreeRange trees, MarginStart const& start);

}  // namespace kauri::cuda
