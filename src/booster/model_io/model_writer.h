/// \file Converts a Model to a document that XGBoost reads, from the dialect's version on.
///
/// Keys ascend, as in XGBoost's files, so that equal models give equal bytes.
#pragma once

#include "booster/model_io/dialect.h"
#include "booster/model_io/json_writer.h"
#include "booster/model_io/ubjson_writer.h"
#include "kauri/model.h"

namespace kauri::model_io {

/// \throws as RequireSayable.
void WriteModel(Model const& model, ModelDialect const& dialect, JsonWriter* writer);
void WriteModel(Model const& model, ModelDialect const& dialect, UbjsonWriter* writer);

}  // namespace kauri::model_io
