/// \file PackPaths on the device: the elements of all paths of a range of trees, packed into bins of a warp's lanes.
#pragma once

#include <cstdint>
#include <optional>

#include "cuda/common/buffer.h"
#include "cuda/forest/device_forest.h"
#include "predictor/paths/path_feature.h"

namespace kauri::cuda {

/// As PackedPaths, without categories. The numbers apart, in device memory.
struct PackedOnDevice {
  Buffer<PathFeature> elements;
  Buffer<std::int64_t> bin_begin;  ///< [n_bins + 1], into elements
  std::int64_t n_bins = 0;
  double utilisation = 1.0;
};

/// PackPaths by best fit, element by element the same. trees: numbered within the forest. Nothing where the host is to
/// do it: categorical splits, wide nodes, 2^31 nodes or more, less free memory than it takes, or a path that no warp
/// holds, which PackPaths has the error for. Takes 50 bytes a node while it works.
std::optional<PackedOnDevice> PackPathsOnDevice(CudaContext const& cuda, DeviceForest const& forest, TreeRange trees);

}  // namespace kauri::cuda
