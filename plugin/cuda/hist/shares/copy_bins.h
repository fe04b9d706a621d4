/// \file Codes of some rows, copied to the memory of another device.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/device_bins.h"

namespace kauri::cuda {

/// Consecutive rows of a data set.
struct RowsOfShare {
  std::int64_t first = 0;
  std::int64_t count = 0;

  std::int64_t End() const { return first + count; }
};

/// The same layout and codes of these rows alone, on the device of `cuda`; `from`, on the device `device`, must be
/// there. Waits for the copies. \throws Error(kMemory) before anything is allocated.
DeviceBins CopyBins(CudaContext const& cuda, int device, DeviceBins const& from, RowsOfShare rows);

}  // namespace kauri::cuda
