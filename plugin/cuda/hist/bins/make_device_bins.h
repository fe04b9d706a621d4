/// \file Makes bins on the device from values; cuts and codes equal the host's, bit for bit. Kept bins stay on the
/// device with the matrix that they were made for.
///
/// 1. The columns are cut, some of them at a time (column_cuts.h), or only counted if cuts are given.
/// 2. The cuts determine the layout of codes (device_bins.h).
/// 3. The rows are read once more, and coded (write_codes.h).
/// Rows in host memory are on the device as a whole if they take an eighth of its free memory at most (row_parts.h).
/// The keys are freed before the codes are allocated. Keys take the memory that the codes will take, or 256 MiB if that
/// is more. 10 M rows of 28 columns: 320 MB of codes, or 320 MB of keys and 10 for sorting, beside 1.1 GB of rows.
///
/// Floor on an H200, 10 M rows of 28 columns on the device: keys 1 ms, sorts 8, traversals 1.2, codes 0.5: 11 ms. Rows
/// of the host cross the bus once, 22 ms at 50 GB/s, or, if they do not stay, once for each pass.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "cuda/data/row_parts.h"
#include "cuda/hist/bins/device_bins.h"
#include "data/bins/bin_store.h"
#include "data/sketch/sketch_method.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri::cuda {

struct DeviceBinsTask {
  int max_bin = 256;                                ///< in [2, 65535]
  QuantileCuts const* given = nullptr;              ///< cuts of numbers, made with max_bin; null: the values are cut
  Span<float const> weights = {};                   ///< [n_rows] on the host, see CutWeights; empty: all weigh the same
  std::size_t key_bytes = std::size_t{256} << 20U;  ///< bytes of keys at a time, if the codes take less
  std::size_t part_bytes = std::size_t{8} << 20U;   ///< bytes of host rows at a time
  HostRows host_rows = HostRows::kStayIfThereIsRoom;
};

/// Returns whether MakeDeviceBins supports the matrix: dense values of one process, all of them numbers, and exact
/// cuts. For other data the host's BinMatrix is uploaded.
bool CanMakeDeviceBins(Context const& ctx, DataMatrix const& data, SketchChoice const& sketch);

struct MadeBins {
  std::vector<FeatureCuts> features;  ///< [n_cols]
  std::unique_ptr<DeviceBins> bins;   ///< or null
};

/// Makes the bins of a table of numbers that CanMakeDeviceBins supports, ready on the stream of `cuda`. Returns no
/// bins, at the cost of the cuts, if columns have so few codes that the host's bundles (data/bins/feature_bundles.h)
/// may save most of them: upload the host's BinMatrix then; or if a column's bounds are infinite. \throws
/// Error(kMemory) with the amount that is needed before anything is allocated, Error(kDevice) for rows on another
/// device.
MadeBins MakeDeviceBins(CudaContext const& cuda, Context const& ctx, DenseTable const& table,
                        DeviceBinsTask const& task);

/// Implements DeviceMemory::MakeBins on the device of `rows`.
CodedRows KeepBins(Context const& ctx, DeviceBatches const& rows, BinRequest const& request);

/// Returns the bins of codes that KeepBins made on that device, otherwise null. Any stream of the device may read them,
/// and must have finished reading when the user releases them.
std::shared_ptr<DeviceBins const> KeptBinsOn(int device, std::shared_ptr<CodesOnDevice const> const& codes);

}  // namespace kauri::cuda
