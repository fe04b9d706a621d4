/// \file A batch of trees compiled against a background, laid out for the lanes of a device.
#pragma once

#include <vector>

#include "predictor/interventional/background_batch.h"
#include "predictor/lanes/interventional_lane.h"

namespace kauri {

/// Tables stay where they are: tree t's begin at table_begin[t - first tree] in the device's copy of all of them.
struct LaneBatch {
  std::vector<LaneItem> items;
  std::vector<LaneLeaf> leaves;
  std::vector<PathFeature> features;
  std::vector<std::uint32_t> slot_of_place;
  std::vector<LanePattern> patterns;
  std::vector<std::int64_t> table_begin;  ///< [n_trees + 1], in doubles
  std::uint32_t most_places = 0;          ///< of an item
};

/// \throws Error(kParameter) for a path of more than kMostPlaces features.
LaneBatch MakeLaneBatch(Forest const& forest, BackgroundBatches const& batch);

}  // namespace kauri
