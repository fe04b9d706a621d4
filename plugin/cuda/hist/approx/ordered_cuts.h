/// \file The exact bin edges for a tree's weights, equal to the results of data/sketch/quantile_sketch.h, from columns
/// that were sorted before any weights were known.
///
/// 1. Each key takes the weight of its row, in whole units (data/sketch/cut_weights.h). A warp adds up the weights of a
///    stretch of 128 keys.
/// 2. A scan of these integers gives the weight before each stretch.
/// 3. The warps of a block search a column (OrderedBoundaries), skipping keys without weight. Each takes every 15th of
///    the even steps, searches the weights before stretches, and adds up a stretch again where it looks for a key.
///
/// Floor on an H200, 10 M rows of 28 columns: 4 bytes of a row's number, 1.1 GB, 0.3 ms at 4 TB/s; a sector of weights
/// from the second-level cache for each, 9 GB, 1.6 ms (more rows have weights beyond the cache: 20 M rows took 8.5 ms).
/// Searches wait for memory: one warp a column took 2.2 ms for 256 bins, whatever the number of columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/approx/ordered_columns.h"
#include "data/sketch/sketch_cuts.h"
#include "kauri/span.h"

namespace kauri::cuda {

struct OrderedCutTask {
  Span<float const> weights;  ///< [n_rows], device
  float largest = 0.0F;       ///< of the weights
  std::uint32_t max_bin = 256;
};

/// Returns the device memory needed for the bin edges of n_cols columns.
std::size_t OrderedCutBytes(std::int64_t n_rows, std::int64_t n_cols, std::uint32_t max_bin);

/// Makes the bin edges of one tree after the other, in the same memory.
class OrderedCutter {
 public:
  OrderedCutter();
  ~OrderedCutter();
  OrderedCutter(OrderedCutter const&) = delete;
  OrderedCutter& operator=(OrderedCutter const&) = delete;

  /// Queues the work. columns, weights: must stay until Collect.
  void Begin(CudaContext const& cuda, OrderedColumns const& columns, OrderedCutTask const& task);
  /// Appends the bin edges of the columns. Waits for them.
  void Collect(CudaContext const& cuda, std::vector<FeatureCuts>* features) const;

 private:
  struct Memory;

  std::unique_ptr<Memory> memory_;
};
}  // namespace kauri::cuda
