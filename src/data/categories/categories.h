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

/// [n_cols]; empty when no feature is categorical. Costs one pass over the categorical columns (dense), over all
/// entries (sparse) or over all rows (other stores). \throws Error(kData) naming row and column of a value that is no
/// category.
CategoryLists FindCategories(Context const& ctx, DataMatrix const& data);

/// By feature the categories that occur on some rank. One Gather. \throws Error(kCollective) on every rank, where the
/// ranks have not as many lists.
CategoryLists UnionOverRanks(Context const& ctx, CategoryLists mine);

/// The same with all numbers below a feature's largest category, which count as categories without rows, as in XGBoost:
/// they keep their place among the others, should they occur later. Not where the largest is kMaxFilledCategory or
/// more: a lone large number must not cost as much as if all smaller ones occurred.
constexpr std::int32_t kMaxFilledCategory = 65535;
CategoryLists FillGaps(CategoryLists lists);

/// \throws Error(kData) when a feature is categorical: for what cannot learn from categories. `what` begins the
/// message, e.g. "booster=gblinear"; `cure` ends it.
void RefuseCategorical(MetaInfo const& info, char const* what, char const* cure);

}  // namespace kauri
