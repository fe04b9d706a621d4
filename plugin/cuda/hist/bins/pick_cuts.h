/// \file The cuts of sorted columns by the rule of data/sketch/rank_cuts.h.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/column_keys.h"
#include "cuda/hist/bins/column_sorter.h"
#include "data/sketch/sketch_cuts.h"

namespace kauri::cuda {

/// All arrays are in device memory.
struct PickCutsTask {
  ColumnSummary const* summaries;  ///< [n_cols]
  std::int64_t n_cols;
  std::int64_t n_rows;
  std::uint32_t max_bin;
  std::int64_t most_cuts;  ///< room per column: max_bin - 1, or n_rows if that is less
  float* cuts;             ///< out: [n_cols, most_cuts], all except the last of each column
  std::uint32_t* n_cuts;   ///< out: [n_cols]
};

/// Picks the cuts. sorted: [n_cols], device. Asynchronous.
void PickCuts(CudaContext const& cuda, SortedKeys const* sorted, PickCutsTask const& task);

/// Appends the picked columns, with their bounds. Waits for the cuts.
void AppendFeatures(CudaContext const& cuda, PickCutsTask const& task, std::vector<FeatureCuts>* features);

}  // namespace kauri::cuda
