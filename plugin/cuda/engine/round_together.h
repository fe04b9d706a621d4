/// \file Trees of a round that grow together, one for each output (hist/levels_finder.h).
#pragma once

#include <vector>

#include "cuda/common/cuda_context.h"
#include "cuda/engine/engine_data.h"
#include "kauri/engine.h"
#include "kauri/tree.h"

namespace kauri::cuda {

/// Whether there is a tree for each output, in their order, of a number in each leaf, from all rows of one device.
bool AreOnePerOutput(std::vector<RoundTree> const& trees, EngineData const& own);

/// Adds the values of their leaves, which the rows have been told (TrainingArrays::round_leaves), to the margins.
void AddTreesOfRound(CudaContext const& cuda, std::vector<Tree> const& trees, EngineData* own);

}  // namespace kauri::cuda
