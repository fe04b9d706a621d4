/// \file The histograms of a tree's nodes, and the arrays that adding rows to them takes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/histogram/add_rows.h"
#include "cuda/hist/histogram/device_histograms.h"

namespace kauri::cuda {

/// The grower of the current tree uses them from BeginTree until the next tree begins.
struct TreeHistograms {
  /// Takes the bins of the following trees.
  void TakeBins(CudaContext const& cuda, DeviceBins const& bins);
  /// Takes back and clears the last tree's histograms. count: whether row counts follow the sums of a histogram, one
  /// FixedSum per bin as on the host (tree/histogram/cell_counts.h).
  void BeginTree(CudaContext const& cuda, DeviceBins const& bins, bool count);
  /// Returns the number of sums of a node, with row counts if rows are counted.
  std::size_t SumsOfNode(DeviceBins const& bins) const { return (counts_rows ? 2 : 1) * std::size_t{bins.n_sums}; }

  DeviceHistograms pool;
  bool counts_rows = false;  ///< for the current tree, here and in the shards
  Buffer<FixedPair> ones;    ///< [number of rows of the bins], summed as row counts if rows are counted
  Buffer<PlannedRows> plan;  ///< scratch of AddRows
};

}  // namespace kauri::cuda
