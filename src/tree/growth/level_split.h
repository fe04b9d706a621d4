/// \file The result of the search for the split of a level of a symmetric tree (level_search.h), on the CPU and on CUDA
/// devices.
#pragma once

#include <cstdint>

#include "kauri/gradient.h"
#include "kauri/host_device.h"
#include "tree/gain_noise.h"
#include "tree/split_gain.h"

namespace kauri {

struct LevelSplit {
  SplitCandidate best;     ///< loss_change is the score; each node has its own sums of the children
  std::uint32_t code = 0;  ///< the last bin that goes left; for a categorical feature, the bin that goes right
  bool is_categorical = false;
  double noise = 0.0;  ///< noise on the score
};

KAURI_HD bool ComesFirst(LevelSplit const& a, LevelSplit const& b) {
  return IsBetterWithNoise(a.best, a.noise, b.best, b.noise);
}

/// The part of a node that goes left at a split.
struct LeftSide {
  FixedSum sum;
  std::int64_t n_rows = 0;  ///< set only if rows are limited
};

}  // namespace kauri
