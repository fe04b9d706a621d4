/// \file The cuts of all features from sketches that take the rows in blocks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "data/quantile_sketch.h"

namespace kauri {

struct FeatureCuts {
  std::vector<float> values;  ///< all but the last
  std::int64_t n_values = 0;  ///< present ones, with or without weight
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();

  void AddValue(float value) {
    min = std::min(min, value);
    max = std::max(max, value);
    ++n_values;
  }
};

/// [n_cols]; for SketchKind::kGk and kMoments.
std::vector<FeatureCuts> SketchedCuts(Context const& ctx, DataMatrix const& data, int max_bin,
                                      CutOptions const& options);

}  // namespace kauri
