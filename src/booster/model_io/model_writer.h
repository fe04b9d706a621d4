/// \file A Model to a document that XGBoost 3.1 and later read.
///
/// Keys ascend, as XGBoost's do, so that equal models give equal bytes.
#pragma once

#include "booster/model_io/json_writer.h"
#include "booster/model_io/ubjson_writer.h"
#include "kauri/model.h"

namespace kauri::model_io {

void WriteModel(Model const& model, JsonWriter* writer);
void WriteModel(Model const& model, UbjsonWriter* writer);

}  // namespace kauri::model_io
