/// \file The statistics behind the numbers that trees use for categories, as files store them. They are an object with
/// the columns, the start of each column's segment, categories, labels and weights (sums in steps of 2^unit), the sums
/// over all rows, and the settings. With several classes it also has the numbers per category. It may have combinations
/// of columns (combined_tables.h). The file counts all columns that trees use among the features.
#pragma once

#include "booster/model_io/json_writer.h"
#include "booster/model_io/object_reader.h"
#include "kauri/model.h"

namespace kauri::model_io {

void WriteOrderedTables(OrderedEncoding const& encoding, JsonWriter* writer);

/// Reads the tables and reduces the model's features to the data's. \throws Error(kModel) for tables that contradict
/// themselves or the model's numbers of features and classes, and for sums that yield no finite number.
void ReadOrderedTables(ObjectReader const& reader, Model* model);

}  // namespace kauri::model_io
