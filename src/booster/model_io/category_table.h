/// \file What a model knows of categories, as files store it.
///
/// `cats` is XGBoost's (3.1 on): per feature the names of its categories, texts as bytes with offsets or integers with
/// the number of their type; where each feature's begin in a list of all; and per feature the order of its names,
/// bytes compared as signed.
#pragma once

#include "booster/model_io/json_writer.h"
#include "booster/model_io/object_reader.h"
#include "booster/model_io/ubjson_writer.h"
#include "kauri/model.h"

namespace kauri::model_io {

/// The member `cats` of the object that holds the trees, the first one by its key.
void WriteCategoryTable(Model const& model, JsonWriter* writer);
void WriteCategoryTable(Model const& model, UbjsonWriter* writer);

/// Reads `cats`, and `cats_seen` of older files of Kauri. \throws Error(kModel) for a table that contradicts itself or
/// the model's number of features.
void ReadCategoryTable(ObjectReader const& gbtree, Model* model);

}  // namespace kauri::model_io
