/// \file Parses UBJSON (draft 12).
#pragma once

#include "booster/model_io/document.h"
#include "kauri/span.h"

namespace kauri::model_io {

/// Parses the part of UBJSON that XGBoost writes, and arrays without a length. Every declared length is checked against
/// the remaining bytes before memory is allocated. \throws Error(kModel) with the position for anything else.
Value ParseUbjson(Span<char const> bytes);

}  // namespace kauri::model_io
