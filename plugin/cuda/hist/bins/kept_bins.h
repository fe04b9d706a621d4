/// \file Bins that stay on the device with the matrix that they were made for.
#pragma once

#include <memory>

#include "cuda/hist/bins/device_bins.h"
#include "data/bins/bin_store.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri::cuda {

/// Implements DeviceMemory::MakeBins on the device of `rows`.
CodedRows KeepBins(Context const& ctx, DeviceBatches const& rows, BinRequest const& request);

/// Returns the bins of codes that KeepBins made on that device, otherwise null. Any stream of the device may read them,
/// and must have finished reading when the user releases them.
std::shared_ptr<DeviceBins const> KeptBinsOn(int device, std::shared_ptr<CodesOnDevice const> const& codes);

}  // namespace kauri::cuda
