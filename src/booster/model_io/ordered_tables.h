/// \file The numbers that trees know categories by, as files store them: an object with the columns, where each one's
/// segment begins, categories, labels and weights (sums in steps of 2^unit), what they are of all rows, and the
/// settings; then, of several classes, how many numbers a category has, and combinations of columns
/// (combined_tables.h). The file counts all columns that trees know among the features.
#pragma once

#include "booster/model_io/json_writer.h"
#include "booster/model_io/object_reader.h"
#include "kauri/model.h"

namespace kauri::model_io {

void WriteOrderedTables(OrderedEncoding const& encoding, JsonWriter* writer);

/// \throws Error(kModel) for tables that contradict themselves or the model's numbers of features and classes, and for
/// what is no finite number. The model's features are those of the data from then on.
void ReadOrderedTables(ObjectReader const& reader, Model* model);

}  // namespace kauri::model_io
