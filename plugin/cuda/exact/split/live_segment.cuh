/// \file Decides whether a segment has candidates.
#pragma once

#include "cuda/exact/split/find_split.h"

namespace kauri::cuda {

__device__ __forceinline__ bool IsAllowed(SplitTask const& task, std::int32_t node, std::int32_t feature) {
  if (task.allowed == nullptr) return true;
  return task.allowed[static_cast<std::int64_t>(node) * task.n_all_features + task.feature_ids[feature]] != 0;
}

/// Returns whether a segment of entries sorted by node belongs to an active node that may use the feature.
__device__ __forceinline__ bool IsLive(SplitTask const& task, std::uint32_t segment) {
  auto const node = task.table.NodeOf(segment);
  return node != task.table.n_nodes && IsAllowed(task, node, task.table.FeatureOf(segment));
}

}  // namespace kauri::cuda
