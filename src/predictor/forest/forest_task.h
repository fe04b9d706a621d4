/// \file Arguments of a predictor's call (PredictTask), together with the compiled forest of the model.
#pragma once

#include "kauri/predictor.h"
#include "predictor/forest/forest.h"

namespace kauri {

/// Nothing is owned.
struct ForestTask {
  Forest const& forest;
  DataView const& rows;
  TreeRange trees;  ///< numbered within the forest; whole groups
  MarginStart start;

  /// Returns the start of the sum of a row and output.
  float StartOf(std::int64_t row, std::int64_t output) const { return start.Of(row, output, forest.n_outputs); }
};

}  // namespace kauri
