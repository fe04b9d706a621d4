/// \file Rows go to the children of their nodes, and those of one child of each are added up on the way: both need the
/// same sector of device memory, the row's codes.
///
/// A warp takes some 256 rows of a node: it looks up their codes at the split, reserves places in both children's
/// stretches by one atomic addition, writes the rows' numbers there, keeps those of the child that is added up, and
/// adds these to the block's sums (histogram/shared_sums.cuh).
///
/// Bytes per row of a level and 32 columns: 4 for its number, 32 for its codes (64 where the memory reads no less), 4
/// for its number's new place; and 8, a sector of 32, for the pair of every other row.
#pragma once

#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/rows/node_rows.h"

namespace kauri::cuda {

/// Whether a block's sums of all columns fit into the shared memory of the device.
bool CanSplitAndAdd(CudaContext const& cuda, DeviceBins const& bins);

/// As SplitNodes, and adds the first group's codes to the histograms that the splits name. pairs: [n_rows]. Codes are
/// bytes.
void SplitAndAdd(CudaContext const& cuda, DeviceBins const& bins, SplitTask const& task, FixedPair const* pairs);

}  // namespace kauri::cuda
