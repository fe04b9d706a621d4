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

/// The categories that occur in each feature, ascending; empty for a feature that is not categorical.
using CategoryLists = std::vector<std::vector<std::int32_t>>;

inline bool IsCategorical(MetaInfo const& info, std::size_t feature) {
  return feature < info.feature_types.size() && info.feature_types[feature] == "c";
}
bool HasCategorical(MetaInfo const& info);

/// Returns the categories of all columns, [n_cols]; empty if no feature is categorical. Costs one pass over the
/// categorical columns (dense), over all entries (sparse) or over all rows (other stores). \throws Error(kData) naming
/// the row and column of a value that is not a category.
CategoryLists FindCategories(Context const& ctx, DataMatrix const& data);

/// Returns for each feature the categories that occur on any rank. Costs one Gather. \throws Error(kCollective) on
/// every rank if the ranks have different numbers of lists.
CategoryLists UnionOverRanks(Context const& ctx, CategoryLists mine);

/// Returns the lists with all numbers below each feature's largest category added. These count as categories without
/// rows, as in XGBoost: they keep their place among the others in case they occur later. A list whose largest category
/// is kMaxFilledCategory or more stays as it is: a lone large number must not cost as much as if all smaller ones
/// occurred.
constexpr std::int32_t kMaxFilledCategory = 65535;
CategoryLists FillGaps(CategoryLists lists);

}  // namespace kauri
