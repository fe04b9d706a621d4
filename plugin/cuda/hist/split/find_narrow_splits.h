/// \file The best splits at features of a few codes, a thread each (find_splits.h): what a warp would search with one
/// of its lanes, and most of its time waiting.
///
/// A thread reads up to four cells of each sibling, completes and subtracts them as others are, and goes through their
/// boundaries; a warp has 32 neighbouring features of one sibling.
#pragma once

#include "cuda/common/cuda_context.h"
#include "cuda/hist/split/find_splits.h"

namespace kauri::cuda {

/// Features that a block of threads looks at together.
constexpr std::uint32_t kNarrowPerBlock = 128;

/// The first blocks.narrow of a node's answers. n_pairs: of the grid.
void FindNarrowSplits(CudaContext const& cuda, FindTask const& task, FeatureBlocks const& blocks, unsigned n_pairs);

}  // namespace kauri::cuda
