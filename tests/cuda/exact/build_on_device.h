/// \file Builds a tree with a builder on the device, from a task in host memory.
#pragma once

#include <algorithm>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/tree/device_tree_builder.h"
#include "support/totals_of.h"

namespace kauri::testing {

/// Builds a tree. cuda: must outlive `state`, whose scratch memory belongs to its stream. leaf_of_row (out): [n_rows],
/// host.
inline Tree BuildOnDevice(cuda::CudaContext const& cuda, Context const& ctx, cuda::DeviceTreeBuilder const& builder,
                          DataMatrix const& data, TreeTask const& task, BuildState* state,
                          std::vector<std::int32_t>* leaf_of_row) {
  cuda::Buffer<FixedPair> pairs(cuda, task.gradients.pairs.size());
  cuda::CopyToDevice(cuda, task.gradients.pairs.data(), pairs.size(), pairs.data());
  cuda::Buffer<std::uint8_t> sampled(cuda, task.sampled_rows.size());
  cuda::CopyToDevice(cuda, task.sampled_rows.data(), sampled.size(), sampled.data());
  cuda::Buffer<std::int32_t> leaves(cuda, leaf_of_row->size());
  cuda::DeviceTreeTask on_device{pairs.span(), cuda::TreeTotals(TotalsOf(task.gradients)), sampled.span(), task.place};
  cuda::Buffer<float> residuals(cuda, task.errors.residuals.size());
  cuda::CopyToDevice(cuda, task.errors.residuals.data(), residuals.size(), residuals.data());
  cuda::Buffer<float> weights(cuda, task.errors.weights.size());
  cuda::CopyToDevice(cuda, task.errors.weights.data(), weights.size(), weights.data());
  on_device.errors = {residuals.span(), weights.span(), task.errors.above, task.errors.below};
  auto tree = builder.BuildOnDevice(cuda, ctx, data, on_device, state, leaves.span());
  *leaf_of_row = cuda::ToHost(cuda, leaves.data(), leaves.size());
  return tree;
}

}  // namespace kauri::testing
