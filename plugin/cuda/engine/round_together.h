/// \file Trees of a round that grow together, one for each output (hist/levels_finder.h).
#pragma once

#include <vector>

#include "cuda/common/cuda_context.h"
#include "cuda/engine/engine_data.h"
#include "kauri/engine.h"
#include "kauri/tree.h"

namespace kauri::cuda {

/// Returns whether there is one tree with scalar leaves for each output, in order, which uses all rows of one shard.
bool AreOnePerOutput(std::vector<RoundTree> const& trees, EngineData const& own);

/// Adds the leaf values of the trees to the margins, by the leaves of the rows (TrainingArrays::round_leaves).
void AddTreesOfRound(CudaContext const& cuda, std::vector<Tree> const& trees, EngineData* own);

}  // namespace kauri::cuda
