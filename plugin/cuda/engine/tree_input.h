/// \file What a tree grows from: the gradients of a round in fixed point, and which rows are used.
///
/// Rows are drawn on the device, each for itself or by their gradients; those of queries, and weights of rows, by the
/// host.
#pragma once

#include <functional>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "cuda/engine/engine_data.h"
#include "cuda/engine/round_kernels.h"
#include "cuda/tree/device_tree_builder.h"
#include "kauri/context.h"
#include "kauri/engine.h"
#include "kauri/meta_info.h"

namespace kauri::cuda {

struct TreeInputTask {
  CudaContext const& cuda;
  Context const& ctx;
  MetaInfo const& info;  ///< of the training set
  RoundTree const& tree;
  std::function<void(char const* line)> say_once;  ///< to the log: what the host does
};

/// The arrays of *own that it fills stay until the next tree's. \throws Error(kData) for a pair that is not finite,
/// naming its row; as DrawPairs (engine/row_draws.h).
DeviceTreeTask MakeTreeInput(TreeInputTask const& task, EngineData* own);

/// The same of trees for all outputs, in their order, that use all rows alike; task: of the first. Their pairs and
/// totals lie side by side.
std::vector<DeviceTreeTask> MakeRoundInput(TreeInputTask const& task, std::vector<RoundTree> const& trees,
                                           EngineData* own);

/// The rows of a tree that are drawn by their numbers, of `n_rows` of one process.
RowSample SampleByKey(Context const& ctx, RoundTree const& tree, std::int64_t n_rows);

}  // namespace kauri::cuda
