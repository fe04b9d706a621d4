/// \file The input of a tree: the gradients of a round in fixed point, and marks of the rows that are used.
///
/// The device samples rows, each independently or by their gradients. The host samples queries and draws the weights of
/// rows.
#pragma once

#include <functional>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "cuda/engine/engine_data.h"
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
  std::function<void(char const* line)> say_once;  ///< logs what the host does
};

/// Makes the input of a tree. The arrays of *own that it fills are valid until the next tree's. \throws Error(kData)
/// for a pair that is not finite, naming its row; errors of DrawPairs (engine/row_draws.h).
DeviceTreeTask MakeTreeInput(TreeInputTask const& task, EngineData* own);

/// Does the same for trees of all outputs, in their order, that all use all rows. task: for the first tree. The pairs
/// and totals of the trees lie side by side.
std::vector<DeviceTreeTask> MakeRoundInput(TreeInputTask const& task, std::vector<RoundTree> const& trees,
                                           EngineData* own);

}  // namespace kauri::cuda
