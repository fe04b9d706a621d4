/// \file The features of a data set in device memory, for the trees of each round.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/forest/walk_forest.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri::cuda {

/// Features in the layout of the data set: dense rows or CSR. If the data set stores bins, dense rows of the values
/// that represent them (data/bins/bin_store.h).
struct DeviceFeatures {
  std::int64_t n_rows = 0;
  std::int64_t n_cols = 0;
  Buffer<float> values;  ///< [n_rows, n_cols] or [n_entries]
  Buffer<std::int64_t> row_ptr;
  Buffer<std::uint32_t> features;

  DeviceRows Rows() const;
};

/// Returns the bytes of device memory that the features take.
std::size_t BytesOfFeatures(DataMatrix const& matrix);

/// Copies the features to the device. matrix: in host memory or in a file, or bins, which may be on the device. \throws
/// Error(kIo).
DeviceFeatures MakeFeatures(CudaContext const& cuda, Context const& ctx, DataMatrix const& matrix);

}  // namespace kauri::cuda
