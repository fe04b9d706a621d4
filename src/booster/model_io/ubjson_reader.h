/// \file UBJSON (draft 12) to a Value.
#pragma once

#include "booster/model_io/document.h"
#include "kauri/span.h"

namespace kauri::model_io {

/// The part of UBJSON that XGBoost writes, and arrays without a length. Every declared length is checked against the
/// bytes that are left before memory is asked for. \throws Error(kModel) with the position for anything else.
Value ParseUbjson(Span<char const> bytes);

}  // namespace kauri::model_io
