/// \file Writes a parsed document as JSON or UBJSON again. Parsing has converted whole numbers in arrays of floats, and
/// true and false in arrays, to numbers of the array's kind.
#pragma once

#include "booster/model_io/document.h"
#include "booster/model_io/json_writer.h"
#include "booster/model_io/ubjson_writer.h"

namespace kauri::model_io {

void WriteValue(Value const& value, JsonWriter* writer);
void WriteValue(Value const& value, UbjsonWriter* writer);

}  // namespace kauri::model_io
