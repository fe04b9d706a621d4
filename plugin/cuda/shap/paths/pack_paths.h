/// \file PackPaths on the device: the elements of all paths of a range of trees, packed into bins of a warp's lanes.
///
/// PlacePaths assigns the elements of paths to places by best-fit decreasing: bin_packing.h on the device.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/forest/device_forest.h"
#include "predictor/paths/path_steps.h"

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

/// Returns the number of paths of each size: [256]. Waits for the numbers. sizes: [n] in device memory.
std::vector<std::int64_t> CountSizes(CudaContext const& cuda, std::uint8_t const* sizes, std::int64_t n);

/// Places of paths. The arrays are in device memory.
struct PathPlaces {
  Buffer<std::int64_t> element_of_path;  ///< [n_paths], the first element of each path
  Buffer<std::int64_t> bin_begin;        ///< [n_bins + 1], into elements
  std::int64_t n_bins = 0;
  std::int64_t n_elements = 0;
};

/// Returns the bins of PackBins, and in each bin the order of its items. sizes: [n_paths], 1 to 32 each, in device
/// memory; counts: the result of CountSizes. n_paths must be below 2^31.
PathPlaces PlacePaths(CudaContext const& cuda, std::uint8_t const* sizes, std::vector<std::int64_t> const& counts);

}  // namespace kauri::cuda
