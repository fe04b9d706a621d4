/// \file The exact cuts of columns in device memory: data/sketch/quantile_sketch.h, the same numbers.
///
/// 1. Some columns at a time (a chunk), the rows give their keys (column_keys.h): one pass over the rows for each
///    chunk.
/// 2. Each column is sorted (column_sorter.h).
/// 3. A warp walks it by the host's rule (pick_cuts.h).
/// What comes back: the cuts, and 24 bytes per column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "cuda/common/memory_plan.h"
#include "cuda/hist/bins/row_parts.h"
#include "data/sketch/sketch_cuts.h"

namespace kauri::cuda {

/// What the cuts of a matrix take on the device.
struct ColumnCutPlan {
  CutTask task;
  Span<float const> weights;  ///< [n_rows] of the host, or empty
  std::int64_t n_cols = 0;
  std::int64_t columns_per_chunk = 1;
  std::int64_t most_cuts = 1;  ///< room for those of a column but the last

  /// Without that of the rows.
  std::vector<MemoryPart> Memory() const;
};

/// As many columns in a chunk as have their keys in key_bytes, in chunks of about the same size.
ColumnCutPlan PlanCuts(CutTask const& task, Span<float const> weights, std::int64_t n_cols, std::size_t key_bytes);

/// [n_cols] without cuts and bounds: how many values there are. Waits for them.
std::vector<FeatureCuts> CountColumns(CudaContext const& cuda, std::int64_t n_rows, std::int64_t n_cols,
                                      DeviceRowParts* rows);

/// [n_cols]. Waits for the cuts of each chunk.
std::vector<FeatureCuts> MakeColumnCuts(CudaContext const& cuda, ColumnCutPlan const& plan, DeviceRowParts* rows);

}  // namespace kauri::cuda
