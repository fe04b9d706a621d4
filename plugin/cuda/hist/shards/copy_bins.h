/// \file Codes of some rows: copied to the memory of another device, or read where the codes of all rows are.
#pragma once

#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/tree/cut_rows.h"

namespace kauri::cuda {

/// Returns the layout and codes of these rows alone, on the device of `cuda`. `from` is on the device `device` and must
/// be complete. Waits for the copies. \throws Error(kMemory) before anything is allocated.
DeviceBins CopyBins(CudaContext const& cuda, int device, DeviceBins const& from, ShardRange rows);

/// Returns the same without copying codes: reads the codes of `from`, which must outlive the result.
DeviceBins BorrowBins(CudaContext const& cuda, DeviceBins const& from, ShardRange rows);

}  // namespace kauri::cuda
