/// \file Converts a boundary between bins that a scan found (feature_scan.cuh) to a threshold.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/hist/split/feature_scan.cuh"
#include "cuda/hist/split/find_splits.h"

namespace kauri::cuda {

/// Returns the first bin on the right. order: not BinCandidate::kAlone, for which the sums would be needed.
__device__ __forceinline__ std::uint32_t FirstRightOf(std::uint32_t order) {
  using bin_scan::BinCandidate;
  return order < BinCandidate::kDown ? order + 1 : BinCandidate::BinOfDown(order);
}

__device__ __forceinline__ float ThresholdOfBoundary(FindTask const& task, std::uint32_t feature,
                                                     std::uint32_t first_right) {
  if (first_right == 0) return task.min_values[feature];
  return task.cut_values[task.features[feature].first_cut + first_right - 1];
}

/// Returns the threshold of a candidate of any order. cells: the node's bins of the feature.
__device__ __forceinline__ float ThresholdOf(FindTask const& task, std::uint32_t feature, std::uint32_t order,
                                             bin_scan::FeatureSums const& cells) {
  if (order != bin_scan::BinCandidate::kAlone) return ThresholdOfBoundary(task, feature, FirstRightOf(order));
  std::uint32_t first_right = 0;
  while (cells[first_right] == FixedSum{}) ++first_right;
  return ThresholdOfBoundary(task, feature, first_right);
}

}  // namespace kauri::cuda
