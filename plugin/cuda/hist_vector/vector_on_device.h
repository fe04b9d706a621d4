/// \file What trees with vector leaves grow in, for one data set and one layout of the gradient table, in device
/// memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/common/upload.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/histogram/device_histograms.h"
#include "cuda/hist/rows/growing_rows.h"
#include "cuda/hist_vector/add_table_rows.h"
#include "cuda/hist_vector/scan_splits.h"
#include "tree/split_gain.h"

namespace kauri::cuda {

/// Histograms of nodes, [n_cells, n_sums] each: lent, full of zeros, and taken back.
class VectorHistograms {
 public:
  VectorHistograms(CudaContext const& cuda, std::size_t n_words);

  /// \throws Error(kMemory) with what is needed.
  std::int64_t* Borrow(CudaContext const& cuda);
  void GiveBack(std::int64_t* histogram);
  /// Takes back whatever is lent.
  void Reset(CudaContext const& cuda);
  std::size_t NumLent() const { return n_lent_; }
  /// How many may be kept for nodes yet to be split: a quarter of the memory that was free.
  std::size_t MostLent() const { return most_lent_; }

 private:
  DeviceHistograms pairs_;  ///< of sums, two words each
  std::size_t n_lent_ = 0;
  std::size_t most_lent_;
};

struct VectorOnDevice {
  /// from: must outlive this.
  VectorOnDevice(CudaContext const& cuda, DeviceBins const& from, std::int64_t n_sums_of_row);

  DeviceBins const& bins;
  std::int64_t n_sums;                     ///< of a cell
  Buffer<float> min_values;                ///< [n_cols]: as in the cuts
  Buffer<std::uint8_t> is_categorical;     ///< [n_cols], or empty: none is
  std::vector<std::uint32_t> categorical;  ///< the features that are, ascending, host
  GrowingRowsOnDevice rows;
  VectorHistograms histograms;
  Upload of_tree;   ///< what stays the same for all nodes of a tree
  Upload of_level;  ///< what is asked of a level
  Buffer<LaidRows> plan;
  Buffer<FoundSplit> found;
  PinnedBuffer<SplitCandidate> best;  ///< answers
  PinnedBuffer<std::int64_t> left;
  PinnedBuffer<std::int64_t> category_sums;
};

}  // namespace kauri::cuda
