/// \file The features of rows in device memory as keys of a forest's slots (forest.h).
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/forest/device_forest.h"
#include "cuda/forest/walk_forest.h"

namespace kauri::cuda {

/// Keys of a tile of rows in device memory; not owning. Key (row, slot) lies at row * row_stride + slot * slot_stride.
struct RowKeys {
  std::int32_t* keys;
  std::int64_t n_rows;
  std::int64_t row_stride;
  std::int64_t slot_stride;
};

/// Fills `keys` from `rows`. The first row of `rows` is the tile's first; there are at least keys.n_rows.
void ReadRowKeys(CudaContext const& cuda, ForestView const& forest, DeviceRows const& rows, RowKeys const& keys);

/// Returns rows [begin, end) of `rows`.
DeviceRows RowsFrom(DeviceRows const& rows, std::int64_t begin, std::int64_t end);

}  // namespace kauri::cuda
