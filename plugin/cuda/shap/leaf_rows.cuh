/// \file A leaf's features and the weight of a background row at that leaf, for the kernels that read the background.
#pragma once

#include <cstdint>

#include "predictor/lanes/lane_batch.h"

namespace kauri::cuda {

/// Returns the feature at a position of the leaf, with its slot instead of its place.
__device__ __forceinline__ PathFeature SlotFeature(LaneLeaves const& all, LaneLeaf const& leaf,
                                                   LeafSource const& source, std::uint32_t position) {
  PathFeature feature = all.features[leaf.first_feature + position];
  std::uint32_t const slot = all.slot_of_place[source.first_place + feature.Slot()];
  feature.slot_flags = (slot << 2U) | (feature.slot_flags & 3U);
  return feature;
}

/// Returns the weight of one background row at a leaf.
__device__ __forceinline__ double RowWeight(LeafSource const& source, std::int64_t n_rows) {
  return source.value / static_cast<double>(n_rows);
}

}  // namespace kauri::cuda
