/// \file The exact bin edges for a tree's weights, equal to the results of data/sketch/quantile_sketch.h, from columns
/// that were sorted before any weights were known.
///
/// 1. Each key takes the weight of its row, in whole units (data/sketch/cut_weights.h).
/// 2. A scan of these integers gives the weight below each key.
/// 3. A warp traverses each column (OrderedBoundaries), skipping keys without weight.
///
/// Floor on an H200, 10 M rows of 28 columns: 4 bytes of a row's number in and 8 of a rank out, 3.4 GB, 0.9 ms at 4
/// TB/s; a sector of weights from the second-level cache for each, 9 GB, 1.6 ms; traversals for 256 bins about 1 ms for
/// each chunk, of which there are three.
#pragma once

#include <cstddef>
#include <cstdint>
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
  std::size_t rank_bytes = std::size_t{1} << 30U;  ///< bytes of ranks at a time, which determine the columns of a chunk
};

/// Returns the device memory needed for the bin edges of n_cols columns.
std::size_t OrderedCutBytes(std::int64_t n_rows, std::int64_t n_cols, OrderedCutTask const& task);

/// Returns the bin edges of all columns, [n_cols]. Waits for each chunk.
std::vector<FeatureCuts> CutOrdered(CudaContext const& cuda, OrderedColumns const& columns, OrderedCutTask const& task);

}  // namespace kauri::cuda
