/// \file Checks that the tracker and the collective calls of XGBoost's clients make of their configurations.
#pragma once

#include "c_api/json_config.h"

namespace kauri::c_api {

/// \throws Error(kParameter) for another dmlc_communicator than rabit: federated learning above all. call: the exported
/// function's name.
void RequireKnownCommunicator(JsonConfig const& config, char const* call);

}  // namespace kauri::c_api
