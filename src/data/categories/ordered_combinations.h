/// \file Combinations of categorical columns with ordered target statistics of their own, found greedily before the
/// first round (after Prokhorenkova et al. 2018, section 3.2, where each split searches for combinations).
///
/// Vocabulary. The information of a column ("what it tells") is the reduction of the weighted squared error when its
/// ordered numbers replace the prior, over the first rows of the first permutation. Numbers that are mostly chance
/// increase the error, so a column without information has a negative value, which counts as zero. The errors of the
/// numbers of several classes add up. A combination's surplus is its information minus the sum of the information of
/// its base and of its other column.
///
/// 1. Every pair of encoded columns is measured. Pairs with a surplus stay, at most kMostKept, the largest first.
/// 2. Each combination that stays is measured with every further column, up to the size that the settings allow, and
///    the best ones stay in the same way.
/// 3. The statistics of the combinations that stay come from all rows.
#pragma once

#include "data/categories/ordered_statistics.h"
#include "kauri/context.h"
#include "kauri/ordered_encoding.h"

namespace kauri {

constexpr std::size_t kMostKept = 16;                               ///< combinations of each size
constexpr std::int64_t kMostRowsLookedAt = std::int64_t{1} << 16U;  ///< bounds the time of a pair

/// Adds combinations to `encoding`, whose columns are set, and their positions to `rows`. The result does not depend on
/// the number of threads: one thread measures a combination, in the order of the permutation. Time: pairs of columns
/// times rows measured, plus a sort of all rows for each combination that stays.
void AddCombinations(Context const& ctx, OrderedEncoding* encoding, OrderedRows* rows);

}  // namespace kauri
