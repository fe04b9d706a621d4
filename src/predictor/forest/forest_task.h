/// \file A call of a predictor (PredictTask), with the forest that its model was compiled to.
#pragma once

#include "kauri/predictor.h"
#include "predictor/forest/forest.h"

namespace kauri {

/// Nothing is owned.
struct ForestTask {
  Forest const& forest;
  DataView const& rows;
  TreeRange trees;  ///< numbered within the forest, whole groups
  MarginStart start;

  /// Where the sum of a row and output starts.
  float StartOf(std::int64_t row, std::int64_t output) const { return start.Of(row, output, forest.n_outputs); }
};

}  // namespace kauri
