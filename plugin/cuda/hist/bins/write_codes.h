/// \file Writes the codes of rows for known cuts: FindBin of every value.
#pragma once

#include "cuda/common/cuda_context.h"
#include "cuda/data/row_parts.h"
#include "cuda/hist/bins/device_bins.h"

namespace kauri::cuda {

/// Writes the codes of the part's rows, which have all columns, to the memory of `bins`. Bytes of a group that belong
/// to no column become 0. bins: of form kBytes or kWords, without bundles, the layout on the device. Asynchronous.
void WriteCodes(CudaContext const& cuda, RowPart const& part, DeviceBins const& bins);

}  // namespace kauri::cuda
