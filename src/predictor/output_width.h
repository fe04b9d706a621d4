/// \file The shape of predictions for those who have a compiled model only.
#pragma once

#include <cstdint>

#include "kauri/predictor.h"

namespace kauri {

/// What OutputWidth(model, kind, trees) is made of.
std::int64_t OutputWidth(std::int64_t n_outputs, std::int64_t n_features, PredictKind kind, TreeRange trees);

}  // namespace kauri
