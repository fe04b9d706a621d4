/// \file The categories that training has seen, and the policy for unseen ones, as files store them: an object with
/// feature_segments (the offsets of each feature's categories in the values), unseen_category, and values.
#pragma once

#include "booster/model_io/json_writer.h"
#include "booster/model_io/object_reader.h"
#include "kauri/model.h"

namespace kauri::model_io {

/// Returns whether there are seen categories, or a policy other than the default, to write.
bool KnowsSeenCategories(ModelCategories const& categories);

void WriteSeenCategories(ModelCategories const& categories, JsonWriter* writer);

/// \throws Error(kModel) for lists that contradict themselves or the model's number of features.
void ReadSeenCategories(ObjectReader const& reader, Model* model);

}  // namespace kauri::model_io
