/// \file Checks of configurations, shared by the tracker and the collective calls of XGBoost's clients.
#pragma once

#include "c_api/json_config.h"

namespace kauri::c_api {

/// Checks the communicator. \throws Error(kParameter) for another dmlc_communicator than rabit, in particular federated
/// learning. call: the exported function's name.
void RequireKnownCommunicator(JsonConfig const& config, char const* call);

}  // namespace kauri::c_api
