/// \file Interventional contributions on the device: the host makes the tables of each tree
/// (predictor/interventional/interventional.h has the formulas), the device adds them up for all rows.
#pragma once

#include "cuda/forest/device_forest.h"
#include "kauri/predictor.h"

namespace kauri::cuda {

/// Results in host memory; rows may be on the device. trees: numbered within the forest.
struct InterventionalTask {
  DataView const& rows;
  DataView const& background;
  TreeRange trees;
  MarginStart start;
  Span<float> out;              ///< [n_rows, n_outputs, n_features + 1]
  std::int64_t tile_bytes = 0;  ///< of rows on the device at a time; 0: a quarter of the free memory
};

/// The host's float64 terms, added as integers of 61 bits: the same bits in every run and for any batch of rows.
/// \throws Error(kData) for a background without rows, Error(kParameter) for a path of more than 64 distinct features,
/// Error(kDevice) for rows on another device, Error(kMemory).
void ExplainInterventional(Context const& ctx, DeviceForest const& forest, InterventionalTask const& task);

}  // namespace kauri::cuda
