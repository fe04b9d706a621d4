/// \file All paths of a range of trees, packed into bins of a warp's lanes: the input of the treeshap kernel.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "predictor/forest/forest.h"
#include "predictor/lanes/bin_packing.h"
#include "predictor/paths/path_steps.h"
#include "predictor/paths/tree_paths.h"

namespace kauri {

/// Lanes of a warp: maximum elements of a bin and of a path.
constexpr std::int32_t kWarpLanes = kMostPathFeatures + 1;

/// Slot of a path's root element, which comes first. It has the leaf value's bits as `lower` and the output as `upper`.
constexpr std::uint32_t kRootSlot = (1U << 30U) - 1U;

KAURI_HD PathFeature RootElement(float value, std::int32_t output) {
  PathFeature root{kRootSlot << 2U, 0, output, 1.0F};
  std::memcpy(&root.lower, &value, sizeof(value));
  return root;
}

struct PackedPaths {
  std::vector<PathFeature> elements;    ///< 16 bytes each; bin after bin, path after path, root element first
  std::vector<std::int64_t> bin_begin;  ///< [n_bins + 1], index into elements
  PathCategories categories;
  double utilisation = 1.0;  ///< fraction of the bins' lanes that hold an element
};

/// Packs the paths of trees, which are numbered within the forest. Trees of a single leaf have no path: they change
/// only the bias. \throws Error(kParameter) for a path of more than 31 distinct features, which does not fit into a
/// warp.
PackedPaths PackPaths(Context const& ctx, Forest const& forest, TreeRange trees, BinPacking method);

}  // namespace kauri
