/// \file The task of growing one tree with scalar leaves from bins on the device.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/tree/device_tree_builder.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// Input and place of a growing tree.
struct HistTask {
  CudaContext cuda;
  DeviceTreeTask const& tree;
  Span<std::int32_t> leaf_of_row;  ///< (out) [n_rows], device; holds lists of rows while the tree grows
};

}  // namespace kauri::cuda
