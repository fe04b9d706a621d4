/// \file Growing a tree with scalar leaves from bins on the device.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/gpu_hist_state.h"
#include "cuda/tree/device_tree_builder.h"
#include "kauri/span.h"
#include "tree/growth/tree_growth.h"

namespace kauri::cuda {

/// Input and place of a growing tree.
struct HistTask {
  CudaContext cuda;
  DeviceTreeTask const& tree;
  Span<std::int32_t> leaf_of_row;  ///< (out) [n_rows], device; holds lists of rows while the tree grows
};

/// Grows a tree in the fastest way that it allows: in one launch if rows are few (few_rows_grower.h), all levels at
/// once (levels_grower.h), or by the host's decisions (gpu_hist_grower.h).
Tree GrowHistTree(Context const& ctx, GrowthRules const& rules, HistTask const& task, HistOnDevice* data);

}  // namespace kauri::cuda
