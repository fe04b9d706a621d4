/// \file The parameter `predictor`: what predicts and explains.
#pragma once

#include <string>

#include "booster/learner_param.h"
#include "kauri/context.h"

namespace kauri {

/// The registry's name: the parameter's, or for auto that of the device. A linear booster has one predictor, whatever
/// is named. \throws Error(kParameter) for an unknown name and for one of linear models with trees, Error(kDevice) for
/// gpu_predictor where no CUDA device can be used.
std::string PredictorName(LearnerParam const& param, DeviceKind device);

}  // namespace kauri
