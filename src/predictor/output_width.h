/// \file Width of predictions, for callers that have only a compiled model.
#pragma once

#include <cstdint>

#include "kauri/predictor.h"

namespace kauri {

/// Returns the floats per row of a prediction. OutputWidth(model, kind, trees) is computed from it.
std::int64_t OutputWidth(std::int64_t n_outputs, std::int64_t n_features, PredictKind kind, TreeRange trees);

}  // namespace kauri
