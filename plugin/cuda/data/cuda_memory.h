/// \file Arrays in the memory of CUDA devices, for the plug-in's entry and for readers of the arrays.
#pragma once

#include <memory>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "data/bins/bin_store.h"
#include "kauri/device_memory.h"

namespace kauri::cuda {

/// Makes bin edges and bins of rows: DeviceMemory::MakeBins. It belongs to the code of trees, so the plug-in's entry
/// passes it in.
using BinMaker = CodedRows (*)(Context const& ctx, DeviceBatches const& rows, BinRequest const& request);

std::unique_ptr<DeviceMemory> MakeCudaMemory(BinMaker make_bins);

/// Returns the device of all elements of the array, or the current device if there are none. \throws Error(kData) for
/// an address of host memory, an array that reaches out of its memory, or an array that is not aligned to its type.
int DeviceOf(ArrayView const& array);

/// Makes the stream of `cuda` wait for the array's stream. \throws Error(kDevice) if the array is on another device.
void WaitForArray(CudaContext const& cuda, DeviceArray const& array, char const* name);

/// Returns the layout of the rows. \throws Error(kDevice) unless they are on the device of `cuda`.
DeviceLayout const& LayoutOn(CudaContext const& cuda, DeviceStorage const& rows);

}  // namespace kauri::cuda
