/// \file Codes of some rows: copied to the memory of another device, or read where those of all rows are.
#pragma once

#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/tree/cut_rows.h"

namespace kauri::cuda {

/// The same layout and codes of these rows alone, on the device of `cuda`; `from`, on the device `device`, must be
/// there. Waits for the copies. \throws Error(kMemory) before anything is allocated.
DeviceBins CopyBins(CudaContext const& cuda, int device, DeviceBins const& from, RowsOfShare rows);

/// The same without copies of codes: those of `from`, which must outlive them, are read.
DeviceBins BorrowBins(CudaContext const& cuda, DeviceBins const& from, RowsOfShare rows);

}  // namespace kauri::cuda
