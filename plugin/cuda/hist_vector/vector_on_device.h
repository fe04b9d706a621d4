/// \file What trees with vector leaves grow in, for one data set, in device memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/event.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/common/upload.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/rows/growing_rows.h"
#include "cuda/hist/shares/share_rows.h"
#include "cuda/hist_vector/add_table_rows.h"
#include "cuda/hist_vector/scan_splits.h"
#include "cuda/hist_vector/vector_histograms.h"
#include "cuda/hist_vector/vector_share.h"
#include "tree/split_gain.h"

namespace kauri::cuda {

struct VectorOnDevice {
  /// Cuts the rows of the bins into shares of the devices, the first of which has the bins. from: must outlive this.
  /// \throws Error(kMemory).
  VectorOnDevice(CudaContext const& cuda, DeviceBins const& from, ShareDevices const& wanted);
  /// For tables of so many sums a row.
  void Resize(CudaContext const& cuda, std::int64_t n_sums_of_row);

  DeviceBins const& bins;
  std::vector<int> devices;                          ///< that it was made for
  std::vector<std::unique_ptr<VectorShare>> shares;  ///< of other devices
  std::int64_t n_own_rows;                           ///< of the rows, from the first on: those of no other device
  Event table_ready;                                 ///< of a tree, for the shares
  std::int64_t n_sums = 0;                           ///< of a cell
  Buffer<float> min_values;                          ///< [n_cols]: as in the cuts
  Buffer<std::uint8_t> is_categorical;               ///< [n_cols], or empty: none is
  std::vector<std::uint32_t> categorical;            ///< the features that are, ascending, host
  GrowingRowsOnDevice rows;
  VectorHistograms histograms;
  Upload of_tree;   ///< what stays the same for all nodes of a tree
  Upload of_level;  ///< what is asked of a level
  Buffer<LaidRows> plan;
  Buffer<FoundSplit> found;
  PinnedBuffer<SplitCandidate> best;  ///< answers
  PinnedBuffer<std::int64_t> left;
  PinnedBuffer<std::int64_t> category_sums;
  Buffer<std::int64_t> answers;  ///< of nodes to the questions of a level of symmetric trees
  PinnedBuffer<std::int64_t> answers_on_host;
};

}  // namespace kauri::cuda
