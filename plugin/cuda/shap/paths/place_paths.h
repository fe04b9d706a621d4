/// \file Where the elements of paths go, by best-fit decreasing: bin_packing.h on the device.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"

namespace kauri::cuda {

/// How many there are of each size: [256]. Waits for the numbers. sizes: [n] in device memory.
std::vector<std::int64_t> CountSizes(CudaContext const& cuda, std::uint8_t const* sizes, std::int64_t n);

/// In device memory, but for the numbers.
struct PathPlaces {
  Buffer<std::int64_t> element_of_path;  ///< [n_paths], the first one
  Buffer<std::int64_t> bin_begin;        ///< [n_bins + 1], into elements
  std::int64_t n_bins = 0;
  std::int64_t n_elements = 0;
};

/// The bins of PackBins, and in each the order of its items. sizes: [n_paths], 1 to 32 each, in device memory; counts:
/// of CountSizes. n_paths: below 2^31.
PathPlaces PlacePaths(CudaContext const& cuda, std::uint8_t const* sizes, std::vector<std::int64_t> const& counts);

}  // namespace kauri::cuda
