/// \file The rows of each query group in the order of a value.
#pragma once

#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/data/device_info.h"

namespace kauri::cuda {

/// For every place of every group the row there, counted within the group: values descend, equal ones keep their order.
/// values: [n_rows], device. Asynchronous; needs 24 bytes per row while it runs.
Buffer<std::uint32_t> SortInGroups(CudaContext const& cuda, Span<float const> values, DeviceInfo const& info);

}  // namespace kauri::cuda
