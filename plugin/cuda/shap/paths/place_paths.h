/// \file Assigns the elements of paths to places by best-fit decreasing: bin_packing.h on the device.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"

namespace kauri::cuda {

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
