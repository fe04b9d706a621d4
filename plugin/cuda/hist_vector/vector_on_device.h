/// \file Everything that trees with vector leaves keep in device memory for one data set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/event.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/rows/growing_rows.h"
#include "cuda/hist/shards/shard_rows.h"
#include "cuda/hist_vector/add_table_rows.h"
#include "cuda/hist_vector/scan_splits.h"
#include "cuda/hist_vector/vector_histograms.h"
#include "cuda/hist_vector/vector_shard.h"
#include "tree/split_gain.h"

namespace kauri::cuda {

struct VectorOnDevice {
  /// Splits the rows of the bins among the devices, the first of which has the bins. from: must outlive this.
  /// \throws Error(kMemory).
  VectorOnDevice(CudaContext const& cuda, DeviceBins const& from, ShardDevices const& wanted);
  /// Prepares for tables with n_sums_of_row sums a row.
  void Resize(CudaContext const& cuda, std::int64_t n_sums_of_row);

  DeviceBins const& bins;
  std::vector<int> devices;                          ///< devices that it was made for
  std::vector<std::unique_ptr<VectorShard>> shards;  ///< rows of other devices
  std::int64_t n_own_rows;                           ///< number of rows, the first ones, that no other device has
  Event table_ready;                                 ///< table of a tree is ready, for the shards
  std::int64_t n_sums = 0;                           ///< per cell
  GrowingRowsOnDevice rows;
  VectorHistograms histograms;
  Upload of_tree;   ///< data that all nodes of a tree share
  Upload of_level;  ///< request of a level
  Buffer<LaidRows> plan;
  Buffer<FoundSplit> found;
  PinnedBuffer<SplitCandidate> best;  ///< answers
  PinnedBuffer<std::int64_t> left;
  PinnedBuffer<std::int64_t> category_sums;
  Buffer<std::int64_t> answers;  ///< sums of nodes for the tests of a level of symmetric trees
  PinnedBuffer<std::int64_t> answers_on_host;
};

}  // namespace kauri::cuda
