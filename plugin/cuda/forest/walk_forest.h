/// \file Traversal of a forest's trees by rows in device memory.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/forest/device_forest.h"
#include "kauri/predictor.h"

namespace kauri::cuda {

/// Features in device memory; not owning. CSR if `row_ptr` is set, else dense.
struct DeviceRows {
  std::int64_t n_rows = 0;
  std::int64_t n_cols = 0;
  float const* values = nullptr;  ///< NaN = missing; element (row, col) at row * row_stride + col * col_stride
  std::int64_t row_stride = 0;
  std::int64_t col_stride = 1;
  bool columns_are_slots = false;           ///< column s holds slot s of the forest, and n_cols is their number
  std::int64_t const* row_ptr = nullptr;    ///< [n_rows + 1]
  std::uint32_t const* features = nullptr;  ///< [n_entries], ascending within a row
  float const* entries = nullptr;           ///< [n_entries]
};

/// Traverses `trees` (numbered within the forest) with all rows.
/// kMargin: adds the leaf values, one tree after another, to out [n_rows, n_outputs]. kLeaf: writes the node ids to out
/// [n_rows, number of the model's trees]. Any other kind is refused.
/// Asynchronous on the stream of `cuda`; the forest must stay until it has passed.
void WalkForest(CudaContext const& cuda, DeviceForest const& forest, DeviceRows const& rows, PredictKind kind,
                TreeRange trees, float* out);

}  // namespace kauri::cuda
