/// \file All paths of a range of trees, packed into bins of a warp's lanes: what the treeshap kernel works on.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "predictor/forest/forest.h"
#include "predictor/lanes/bin_packing.h"
#include "predictor/paths/path_feature.h"
#include "predictor/paths/tree_paths.h"

namespace kauri {

/// Lanes of a warp: elements of a bin, and of the longest path.
constexpr std::int32_t kWarpLanes = kMostPathFeatures + 1;

/// A path begins with its root element, which has this slot, the leaf value's bits as `lower` and the output as
/// `upper`.
constexpr std::uint32_t kRootSlot = (1U << 30U) - 1U;

KAURI_HD PathFeature RootElement(float value, std::int32_t output) {
  PathFeature root{kRootSlot << 2U, 0, output, 1.0F};
  std::memcpy(&root.lower, &value, sizeof(value));
  return root;
}

struct PackedPaths {
  std::vector<PathFeature> elements;    ///< 16 bytes each; bin after bin, path after path, root element first
  std::vector<std::int64_t> bin_begin;  ///< [n_bins + 1], into elements
  PathCategories categories;
  double utilisation = 1.0;  ///< share of the bins' lanes that hold an element
};

/// trees: numbered within the forest. Trees of a single leaf have no path: they move the bias only.
/// \throws Error(kParameter) for a path of more than 31 distinct features, which no warp holds.
PackedPaths PackPaths(Context const& ctx, Forest const& forest, TreeRange trees, BinPacking method);

}  // namespace kauri
