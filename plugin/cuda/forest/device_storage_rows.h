/// \file Predictions for rows in device memory, without a copy through the host.
#pragma once

#include <memory>

#include "cuda/data/device_floats.h"
#include "cuda/forest/device_forest.h"
#include "cuda/forest/walk_forest.h"
#include "kauri/predictor.h"

namespace kauri::cuda {

/// Returns the rows in the form that WalkForest takes. \throws Error(kDevice) unless they are on the device of `cuda`.
DeviceRows RowsOn(CudaContext const& cuda, DeviceStorage const& rows);

/// Returns margins or leaves, [n_rows, width]; `trees` are numbered within the forest. Asynchronous on the result's own
/// stream. \throws Error(kDevice) unless rows and forest are on one device, Error(kMemory).
std::unique_ptr<OwnedFloats> PredictDeviceRows(DeviceForest const& forest, DeviceStorage const& rows, PredictKind kind,
                                               TreeRange trees, MarginStart const& start);

}  // namespace kauri::cuda
