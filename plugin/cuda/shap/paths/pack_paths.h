/// \file PackPaths on the device: the elements of all paths of a range of trees, packed into bins of a warp's lanes.
#pragma once

#include <cstdint>
#include <optional>

#include "cuda/common/buffer.h"
#include "cuda/forest/device_forest.h"
#include "predictor/paths/path_feature.h"

namespace kauri::cuda {

/// PackedPaths without categories, with its arrays in device memory.
struct PackedOnDevice {
  Buffer<PathFeature> elements;
  Buffer<std::int64_t> bin_begin;  ///< [n_bins + 1], into elements
  std::int64_t n_bins = 0;
  double utilisation = 1.0;
};

/// Packs paths like PackPaths with best fit: the same elements in the same order. trees: numbered within the forest.
/// Returns nothing if the host has to do it: for categorical splits, wide nodes, 2^31 nodes or more, too little free
/// memory, or a path that does not fit into a warp, for which PackPaths has the error. Takes 50 bytes a node while it
/// works.
std::optional<PackedOnDevice> PackPathsOnDevice(CudaContext const& cuda, DeviceForest const& forest, TreeRange trees);

}  // namespace kauri::cuda
