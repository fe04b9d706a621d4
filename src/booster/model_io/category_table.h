/// \file A model's tables of categories, as files store them.
///
/// `cats` is XGBoost's member (since 3.1). It has for each feature the names of its categories: texts as bytes with
/// offsets, or integers with the number of their type. It also has the offset of each feature in a list of all names,
/// and for each feature the sorted order of its names, with bytes compared as signed.
///
/// A second table has the categories that training has seen, and the policy for unseen ones, an object with
/// feature_segments (the offsets of each feature's categories in the values), unseen_category, and values.
#pragma once

#include "booster/model_io/json.h"
#include "booster/model_io/object_reader.h"
#include "booster/model_io/ubjson.h"
#include "kauri/model.h"

namespace kauri::model_io {

/// Writes the member `cats` of the object that holds the trees. Its key sorts first.
void WriteCategoryTable(Model const& model, JsonWriter* writer);
void WriteCategoryTable(Model const& model, UbjsonWriter* writer);

/// Reads `cats`, and `cats_seen` of older files of Kauri. \throws Error(kModel) for a table that contradicts itself or
/// the model's number of features.
void ReadCategoryTable(ObjectReader const& gbtree, Model* model);

/// Returns whether there are seen categories, or a policy other than the default, to write.
bool KnowsSeenCategories(ModelCategories const& categories);

void WriteSeenCategories(ModelCategories const& categories, JsonWriter* writer);

/// \throws Error(kModel) for lists that contradict themselves or the model's number of features.
void ReadSeenCategories(ObjectReader const& reader, Model* model);

}  // namespace kauri::model_io
