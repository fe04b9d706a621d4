/// \file The predictors of this folder, for the registry.
#pragma once

#include "kauri/registry.h"

namespace kauri {

/// Adds cpu_predictor.
void RegisterPredictors(Registry<PredictorFactory>* registry);

/// Adds linear_predictor.
void RegisterLinearPredictor(Registry<PredictorFactory>* registry);

}  // namespace kauri
