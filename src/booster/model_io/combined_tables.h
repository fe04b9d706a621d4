/// \file Combinations of categorical columns in files: a member of the ordered tables. It has the maximum number of
/// columns of a combination and the number of combinations. For each combination it has the base, the further column,
/// the start of its segment, the cells, labels and weights. The member is absent if no combinations were requested.
#pragma once

#include <cstdint>

#include "booster/model_io/json_writer.h"
#include "booster/model_io/object_reader.h"
#include "kauri/model.h"

namespace kauri::model_io {

void WriteCombinations(OrderedEncoding const& encoding, JsonWriter* writer);

/// Returns the number of combinations. The file counts them among its n_features features. \throws Error(kModel) if no
/// other feature is left.
std::int64_t CountCombinations(ObjectReader const& tables, std::int64_t n_features);

/// Reads `count` combinations into `encoding`, whose settings and columns have been read already. \throws Error(kModel)
/// for combinations that contradict themselves or the columns, and for sums that yield no finite number.
void ReadCombinations(ObjectReader const& tables, std::int64_t count, OrderedEncoding* encoding);

}  // namespace kauri::model_io
