/// \file Copies the sums of some features of several nodes to one array.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/device_bins.h"
#include "kauri/gradient.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// The histogram of a node, device.
struct NodeSums {
  FixedSum const* first;
};

struct CopyCellsTask {
  Span<NodeSums const> histograms;
  FeatureCodes const* codes;  ///< of all columns
  Span<std::uint32_t const> features;
  std::uint32_t const* begin;  ///< [n_features + 1]: start of each feature's bins among the n_cells of a node
  std::uint32_t n_cells;
  FixedSum* to;  ///< (out) [n_histograms, n_cells], page-locked
};

void CopyCells(CudaContext const& cuda, CopyCellsTask const& task);

}  // namespace kauri::cuda
