/// \file Chooses how a tree with scalar leaves grows from bins on the device, and grows it.
///
/// If all splits follow from sums alone, the device finds them first: in one launch if rows are few
/// (precomputed_growers.h), otherwise in launches for all levels, which are queued at once (levels_finder.h). The host
/// makes the tree from them. All other trees need the host in every level (gpu_hist_grower.h).
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/hist/gpu_hist_state.h"
#include "cuda/hist/tree_rows.h"
#include "kauri/span.h"
#include "tree/growth/tree_growth.h"

namespace kauri::cuda {

/// Grows a tree in the fastest way that it allows.
Tree GrowHistTree(Context const& ctx, GrowthRules const& rules, HistTask const& task, HistOnDevice* data);

/// Returns whether trees like the task's may grow together on the device of `data` alone.
bool MayGrowTogether(Context const& ctx, GrowthRules const& rules, HistTask const& task, HistOnDevice* data);
/// Grows trees for which MayGrowTogether is true, a few at a time if memory is short. tasks and leaf_of_row: as in
/// LevelsFinder. rules: one per tree.
std::vector<Tree> GrowTogether(Context const& ctx, std::vector<GrowthRules> const& rules, CudaContext const& cuda,
                               Span<DeviceTreeTask const> tasks, Span<std::int32_t> leaf_of_row, HistOnDevice* data);

}  // namespace kauri::cuda
