/// \file The rows of each query group in the order of a value.
#pragma once

#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/data/device_info.h"

namespace kauri::cuda {

/// Returns, for every place of every group, the row at that place, counted within the group. Values descend; equal
/// values keep their order. values: [n_rows], device. Asynchronous; needs 24 bytes per row while it runs.
Buffer<std::uint32_t> SortInGroups(CudaContext const& cuda, Span<float const> values, DeviceInfo const& info);

}  // namespace kauri::cuda
