/// \file The columns of a matrix in device memory, each sorted by value: src/data/sorted_columns.h on the device. Kept
/// columns stay on a device with the data for the next training, as long as there is memory for them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/kept.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri::cuda {

/// Immutable; 8 bytes per present value. Entries ascend by (value, row) within a column; missing values are not stored.
struct DeviceColumns {
  std::int64_t n_rows = 0;
  std::vector<std::int64_t> column_ptr;  ///< [n_cols + 1], host
  std::vector<std::uint8_t> both_ways;   ///< [n_cols], host: lacks values and has more than one (ScanMode::kBoth)
  Buffer<std::uint32_t> rows;            ///< [n_entries]
  Buffer<float> values;                  ///< [n_entries], finite, never -0

  std::int64_t NumCols() const { return static_cast<std::int64_t>(column_ptr.size()) - 1; }
  std::int64_t NumEntries() const { return column_ptr.back(); }
};

/// Makes the columns of SortedColumns, bit for bit. Dense data are copied unchanged, unless they are on the device
/// already, and sorted by one radix sort per column. Sparse data are sorted by one radix sort of all entries. \throws
/// Error(kData) for 2^32 - 1 rows or more, Error(kMemory) with the bytes needed before anything is allocated,
/// Error(kDevice) for data on another device.
DeviceColumns MakeDeviceColumns(CudaContext const& cuda, Context const& ctx, DataMatrix const& data);

/// Returns the place of the columns that are kept with `data` on the device of `ctx`.
std::shared_ptr<Kept<DeviceColumns> const> KeptColumnsOf(Context const& ctx, DataMatrix const& data);

/// Returns the columns of `data`, which are made unless they are kept. \throws what MakeDeviceColumns throws.
std::shared_ptr<DeviceColumns const> DeviceColumnsOf(Context const& ctx, DataMatrix const& data);

}  // namespace kauri::cuda
