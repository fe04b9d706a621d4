/// \file The categories of a training matrix.
///
/// Vocabulary. A feature of type 'c' is categorical: its values are categories, integers from 0 to kCategoryLimit - 1,
/// whose order means nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// By feature the categories that occur in a column, ascending; none for a feature that is not categorical.
using CategoryLists = std::vector<std::vector<std::int32_t>>;

inline bool IsCategorical(MetaInfo const& info, std::size_t feature) {
  return feature < info.feature_types.size() && info.feature_types[feature] == "c";
}
bool HasCategorical(MetaInfo const& info);

/// [n_cols]; empty when no feature is categorical. Costs one pass over the categorical columns (dense) or over all
/// entries (sparse). \throws Error(kData) naming row and column of a value that is no category.
CategoryLists FindCategories(Context const& ctx, DataMatrix const& data);

/// \throws Error(kData) when a feature is categorical: for what cannot learn from categories. `what` begins the
/// message, e.g. "booster=gblinear"; `cure` ends it.
void RefuseCategorical(MetaInfo const& info, char const* what, char const* cure);

}  // namespace kauri
