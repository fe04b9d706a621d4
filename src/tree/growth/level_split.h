/// \file What is found for a level of a symmetric tree (level_search.h), on both sides.
#pragma once

#include <cstdint>

#include "kauri/gradient.h"
#include "kauri/host_device.h"
#include "tree/gain_noise.h"
#include "tree/split_gain.h"

namespace kauri {

struct LevelSplit {
  SplitCandidate best;     ///< loss_change is the score; the sums of the children are each node's own
  std::uint32_t code = 0;  ///< the last bin that goes left; of a categorical feature the one that goes right
  bool is_categorical = false;
  double noise = 0.0;  ///< on the score
};

KAURI_HD bool ComesFirst(LevelSplit const& a, LevelSplit const& b) {
  return IsBetterWithNoise(a.best, a.noise, b.best, b.noise);
}

/// What of a node goes left at a split.
struct LeftSide {
  FixedSum sum;
  std::int64_t n_rows = 0;  ///< known where rows are limited
};

}  // namespace kauri
