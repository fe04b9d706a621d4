/// \file Parses JSON text.
#pragma once

#include "booster/model_io/document.h"
#include "kauri/span.h"

namespace kauri::model_io {

/// Parses standard JSON, and the tokens NaN, Infinity and -Infinity that XGBoost writes (until 3.0.0 the threshold of a
/// categorical split is NaN). \throws Error(kModel) with the position for anything else.
Value ParseJson(Span<char const> text);

}  // namespace kauri::model_io
