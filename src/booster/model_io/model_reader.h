/// \file Converts a parsed document to a Model: every dialect of XGBoost's model files since 1.0.
#pragma once

#include "booster/model_io/document.h"
#include "kauri/model.h"

namespace kauri::model_io {

/// Moves the trees out of `document`. \throws Error(kModel) with the key path and the value of the faulty member.
Model ReadModel(Value* document);

}  // namespace kauri::model_io
