/// \file What tree_method=gpu_hist keeps for one data set in device memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/common/upload.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/histogram/add_rows.h"
#include "cuda/hist/histogram/device_histograms.h"
#include "cuda/hist/rows/node_rows.h"
#include "tree/split_gain.h"

namespace kauri::cuda {

/// Codes, and what trees grow in: all but the codes is scratch.
struct HistOnDevice {
  HistOnDevice(CudaContext const& cuda, std::unique_ptr<DeviceBins const> made);

  std::unique_ptr<DeviceBins const> bins;
  Buffer<float> min_values;                ///< [n_cols]: as in the cuts
  Buffer<std::uint8_t> is_categorical;     ///< [n_cols], or empty: none is
  std::vector<std::uint32_t> categorical;  ///< the features that are, ascending, host
  bool can_split_and_add;                  ///< CanSplitAndAdd
  RowBuffers rows;
  DeviceHistograms histograms;
  Upload of_tree;  ///< what stays the same for all nodes of a tree
  Upload of_leaves;
  Upload of_level;  ///< what is asked of a level
  Buffer<PlannedRows> plan;
  PinnedBuffer<std::uint32_t> n_left;  ///< answers
  PinnedBuffer<SplitCandidate> best;
  PinnedBuffer<FixedSum> category_cells;
};

}  // namespace kauri::cuda
