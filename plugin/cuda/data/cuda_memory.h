/// \file Arrays in the memory of CUDA devices, for the plug-in's entry and for who reads them.
#pragma once

#include <memory>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "data/bins/codes_on_device.h"
#include "kauri/device_memory.h"

namespace kauri::cuda {

/// Cuts and codes rows: DeviceMemory::MakeBins. That is the business of trees, so the plug-in's entry hands it over.
using BinMaker = CodedRows (*)(Context const& ctx, DeviceBatches const& rows, BinRequest const& request);

std::unique_ptr<DeviceMemory> MakeCudaMemory(BinMaker make_bins);

/// The device that all elements of the array are on; the current one when it has none. \throws Error(kData) for an
/// address of host memory, an array that reaches out of its memory, or one that is not aligned to its type.
int DeviceOf(ArrayView const& array);

/// The stream of `cuda` waits for the array's. \throws Error(kDevice) when the array is on another device.
void WaitForArray(CudaContext const& cuda, DeviceArray const& array, char const* name);

/// Where the rows are. \throws Error(kDevice) unless they are on the device of `cuda`.
DeviceLayout const& LayoutOn(CudaContext const& cuda, DeviceStorage const& rows);

}  // namespace kauri::cuda
