/// \file JSON text to a Value.
#pragma once

#include "booster/model_io/document.h"
#include "kauri/span.h"

namespace kauri::model_io {

/// Standard JSON, and the tokens NaN, Infinity and -Infinity that XGBoost writes (a NaN is the threshold of a
/// categorical split until 3.0.0). \throws Error(kModel) with the position for anything else.
Value ParseJson(Span<char const> text);

}  // namespace kauri::model_io
