/// \file The codes of some of the rows: how many rows keep them in host memory, and codes that are copied to another
/// device, made there, or read where the codes of all rows are.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/data/row_parts.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/tree/cut_rows.h"

namespace kauri::cuda {

/// Returns the layout and codes of these rows alone, on the device of `cuda`. `from` is on the device `device` and must
/// be complete. Waits for the copies. \throws Error(kMemory) before anything is allocated.
DeviceBins CopyBins(CudaContext const& cuda, int device, DeviceBins const& from, ShardRange rows);

/// Returns the layout for these rows, and their codes by its cuts. layout: of dense rows without bundles. rows: all
/// columns, on the device of `cuda`. Waits for the codes. \throws Error(kMemory) before anything is allocated.
DeviceBins CodeBins(CudaContext const& cuda, DeviceBins const& layout, RowPart const& rows);

/// Returns the bins of CopyBins without copying codes: reads the codes of `from`, which must outlive the result.
DeviceBins BorrowBins(CudaContext const& cuda, DeviceBins const& from, ShardRange rows);

struct HostCodesTask {
  std::int64_t n_rows;
  std::size_t code_bytes;  ///< size of the codes of all rows
  float ratio;             ///< cache_host_ratio: the fraction of the rows; below 0: the rows that do not fit
};

/// Returns how many of the last rows stay in host memory. Logs the number and its cost once per data set. free_bytes:
/// free memory of the device.
std::int64_t NumHostRows(HostCodesTask const& task, std::size_t free_bytes);

}  // namespace kauri::cuda
