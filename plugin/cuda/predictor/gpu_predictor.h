/// \file The predictor of the plug-in, for its entry.
#pragma once

#include "kauri/registry.h"

namespace kauri::cuda {

/// Registers gpu_predictor.
void RegisterGpuPredictor(Registry<PredictorFactory>* registry);

}  // namespace kauri::cuda
