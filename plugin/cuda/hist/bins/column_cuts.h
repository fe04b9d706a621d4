/// \file The exact bin edges of columns in device memory, equal to the results of data/sketch/quantile_sketch.h.
///
/// 1. For some columns at a time (a chunk), the rows give their keys (column_keys.h): one pass over the rows for each
///    chunk.
/// 2. Each column is sorted (column_sorter.h).
/// 3. A warp traverses it by the host's rule (pick_cuts.cuh).
/// The cuts and 24 bytes per column are copied to the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "cuda/common/memory_plan.h"
#include "cuda/data/row_parts.h"
#include "data/sketch/sketch_cuts.h"

namespace kauri::cuda {

/// Device memory and chunks for the cuts of a matrix.
struct ColumnCutPlan {
  CutTask task;
  Span<float const> weights;  ///< [n_rows] on the host, or empty
  std::int64_t n_cols = 0;
  std::int64_t columns_per_chunk = 1;
  std::int64_t most_cuts = 1;  ///< room for the cuts of a column except the last

  /// Returns the memory needed, excluding the rows.
  std::vector<MemoryPart> Memory() const;
};

/// Plans chunks of about the same size, each with the columns whose keys fit into key_bytes.
ColumnCutPlan PlanCuts(CutTask const& task, Span<float const> weights, std::int64_t n_cols, std::size_t key_bytes);

/// Returns the numbers of present values and the bounds, [n_cols], without cuts. Waits for them.
std::vector<FeatureCuts> CountColumns(CudaContext const& cuda, std::int64_t n_rows, std::int64_t n_cols,
                                      DeviceRowParts* rows);

/// Returns the cuts of all columns, [n_cols]. Waits for each chunk.
std::vector<FeatureCuts> MakeColumnCuts(CudaContext const& cuda, ColumnCutPlan const& plan, DeviceRowParts* rows);

}  // namespace kauri::cuda
