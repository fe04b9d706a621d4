/// \file Access of split search kernels to a node at a feature, and thresholds of the boundaries between bins that a
/// scan finds (feature_scan.cuh).
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/hist/split/feature_scan.cuh"
#include "cuda/hist/split/find_task.h"

namespace kauri::cuda {

/// Returns the row counts of a feature.
__device__ __forceinline__ bin_scan::FeatureSums CountsOf(FindTask const& task, FeatureCodes const& codes,
                                                          FixedSum* histogram) {
  return {histogram + task.limits.counts_at + codes.first_sum, codes.sum_stride};
}

/// Returns whether a node may use a feature. place: of the feature among the tree's features.
__device__ __forceinline__ bool MayUse(FindTask const& task, SearchedNode const& node, std::uint32_t place) {
  auto const n_features = static_cast<std::int64_t>(task.tree_features.size());
  return node.allowed < 0 || task.allowed[node.allowed * n_features + place] != 0;
}

constexpr std::uint32_t kNoPlace = 0xFFFFFFFFU;

/// Returns the place of the wide feature of this number among the tree's features, or kNoPlace.
__device__ __forceinline__ std::uint32_t PlaceAt(FindTask const& task, std::uint32_t number) {
  if (number >= NumWide(task)) return kNoPlace;
  return HasNarrow(task) ? task.by_width.wide.data()[number] : number;
}

/// Called by the threads of one block.
__device__ __forceinline__ void CopyNumLeft(FindTask const& task, std::uint32_t n_threads) {
  for (auto i = threadIdx.x; i < task.n_left.size(); i += n_threads) task.n_left_out[i] = task.n_left.data()[i];
}

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
