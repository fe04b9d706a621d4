/// \file Finds the best split of each of several nodes between the bins of its histogram.
///
/// One warp handles a feature of a pair of siblings. If there are few pairs, several warps do, each with a part of the
/// bins:
/// 1. The histogram of the sibling whose rows were added up is completed at the feature's most frequent bin (bundles).
/// 2. The other sibling's histogram is the parent's minus that one, and is written in the parent's place.
/// 3. A scan over the bins of each sibling gives the sums left of every boundary. Its lanes compute gains by the shared
///    formulas (tree/split_gain.h), with the missing rows to the right and to the left. The candidates equal those
///    found by BinSplitFinder (tree/histogram/bin_split.h): an empty bin's candidate equals a neighbour's, to which it
///    loses.
///
/// Best splits are found per node and block of features; the host chooses among them (IsBetter). Categorical features
/// are only completed and subtracted; the host searches them. Bytes per bin of a pair: 48; of a node without sibling:
/// 16. Float64 operations per bin, node and direction: about 12 and two divisions. If splits have requirements besides
/// their gain (limited_scan.cuh), row counts are completed and subtracted like sums. With noise on gains
/// (tree/gain_noise.h), the features of a node compete by gain plus noise, on the device as on the host.
///
/// Features with a few codes are searched by one thread each (FindNarrowSplits): a warp would search such a feature
/// with one lane and spend most of its time waiting. A thread reads up to four bins of each sibling, completes and
/// subtracts them like wider features, and tries their boundaries. A warp handles 32 neighbouring features of one
/// sibling.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/split/find_task.h"

namespace kauri::cuda {

/// Returns the numbers of blocks for n_pairs pairs.
FeatureBlocks NumFeatureBlocks(FindTask const& task, std::size_t n_pairs);

/// Finds the splits of the task. All arrays are on the device, or page-locked.
void FindSplits(CudaContext const& cuda, FindTask const& task);

/// Number of features that a block of threads searches together.
constexpr std::uint32_t kNarrowPerBlock = 128;

/// Writes the first blocks.narrow answers of each node. n_pairs: pairs in the grid.
void FindNarrowSplits(CudaContext const& cuda, FindTask const& task, FeatureBlocks const& blocks, unsigned n_pairs);

}  // namespace kauri::cuda
