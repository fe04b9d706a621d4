/// \file What objectives share whose predictions are e^margin.
#pragma once

#include <string>

#include "kauri/context.h"
#include "kauri/span.h"

namespace kauri {

/// values := e^values.
void ExpMargins(Context const& ctx, Span<float> values);

/// ln base_score; minus infinity for 0, which fits labels that all are 0. \throws Error(kParameter) below 0.
float LogOfBaseScore(std::string const& objective, float base_score);

}  // namespace kauri
