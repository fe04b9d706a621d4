/// \file The rows of one data set while trees grow, on all devices that have some of them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "cuda/common/event.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/histogram/row_records.h"
#include "cuda/hist/rows/growing_rows.h"
#include "cuda/hist/shards/hist_shard.h"
#include "cuda/hist/shards/shard_rows.h"

namespace kauri::cuda {

/// The main device has the first rows, and each shard has the next ones. The division is set once for the bins; the
/// lists of rows and the records are valid for one tree, from TreeRows::Reset on.
struct RowState {
  explicit RowState(int device) : gradients_ready(device) {}
  /// Gives all rows of the bins to the main device. bins: must outlive the trees.
  void TakeBins(CudaContext const& cuda, DeviceBins const& bins);
  /// Splits the rows of the bins among these devices, the first of which has the bins. Does nothing if that was done
  /// since TakeBins. The same devices have the same rows whenever it is called. \throws Error(kMemory): call it again.
  void Shard(CudaContext const& cuda, DeviceBins const& bins, ShardDevices const& among);
  /// Adds a shard of the rows of `whole` that follow the rows of the bins; their codes stay in host memory. \throws
  /// Error(kMemory).
  void AddHostRows(CudaContext const& cuda, DeviceBins const& bins, DeviceBins const& whole);

  GrowingRowsOnDevice own;                         ///< lists of the main device's rows
  RowRecords records;                              ///< packed codes and gradients of the main device's rows
  std::int64_t n_own = 0;                          ///< number of the main device's rows
  bool is_sharded = false;                         ///< whether Shard was called for the bins
  Event gradients_ready;                           ///< gradients of a tree are ready, for the shards
  std::vector<std::unique_ptr<HistShard>> shards;  ///< rows of other devices, or rows whose codes are in host memory
};

}  // namespace kauri::cuda
