/// \file Combinations of categorical columns in files: a member of the ordered tables with the most columns that one
/// may have, how many there are, and by combination its base and further column, where its segment begins, its cells,
/// labels and weights. Where none were asked for there is no such member.
#pragma once

#include <cstdint>

#include "booster/model_io/json_writer.h"
#include "booster/model_io/object_reader.h"
#include "kauri/model.h"

namespace kauri::model_io {

void WriteCombinations(OrderedEncoding const& encoding, JsonWriter* writer);

/// How many combinations there are, which are among the features that the file counts: n_features. \throws
/// Error(kModel) where no other is left.
std::int64_t CountCombinations(ObjectReader const& tables, std::int64_t n_features);

/// Reads `count` combinations. encoding: has all else. \throws Error(kModel) for what contradicts itself or the
/// columns, and for sums that make no finite number.
void ReadCombinations(ObjectReader const& tables, std::int64_t count, OrderedEncoding* encoding);

}  // namespace kauri::model_io
