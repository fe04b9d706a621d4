/// \file The parameter `predictor`: the component that predicts and explains.
#pragma once

#include <string>

#include "booster/config/learner_param.h"
#include "kauri/context.h"

namespace kauri {

/// Returns the predictor's name in the registry: the parameter's value, or for auto the device's predictor. A linear
/// booster has one predictor, whatever is named. \throws Error(kParameter) for an unknown name and for linear_predictor
/// with trees, Error(kDevice) for gpu_predictor if no CUDA device can be used.
std::string PredictorName(LearnerParam const& param, DeviceKind device);

}  // namespace kauri
