/// \file Finds the best splits at features with a few codes, one thread per feature (find_splits.h). A warp would
/// search such a feature with one lane and spend most of its time waiting.
///
/// A thread reads up to four bins of each sibling, completes and subtracts them like wider features, and tries their
/// boundaries. A warp handles 32 neighbouring features of one sibling.
#pragma once

#include "cuda/common/cuda_context.h"
#include "cuda/hist/split/find_splits.h"

namespace kauri::cuda {

/// Number of features that a block of threads searches together.
constexpr std::uint32_t kNarrowPerBlock = 128;

/// Writes the first blocks.narrow answers of each node. n_pairs: pairs in the grid.
void FindNarrowSplits(CudaContext const& cuda, FindTask const& task, FeatureBlocks const& blocks, unsigned n_pairs);

}  // namespace kauri::cuda
