/// \file Combinations of categorical columns with ordered target statistics of their own, found greedily before the
/// first round (after Prokhorenkova et al. 2018, section 3.2, whose trees look for theirs at each split).
///
/// Vocabulary. What a column tells is by how much its ordered numbers have a smaller squared error than the prior, over
/// the first rows of the first permutation, by their weights. A number that is mostly chance has a larger error, so
/// that a column without anything to tell tells less than nothing, which counts as nothing. The errors of the numbers
/// of several classes add up. A combination's surplus is what it tells beyond what its base and its other column tell,
/// added up.
///
/// 1. Every pair of encoded columns is looked at. Those with a surplus stay, at most kMostKept, the largest first.
/// 2. Each of these is looked at with every further column, up to the size that the settings ask for; likewise.
/// 3. What stays has its statistics from all rows.
#pragma once

#include "data/categories/ordered_statistics.h"
#include "kauri/context.h"
#include "kauri/ordered_encoding.h"

namespace kauri {

constexpr std::size_t kMostKept = 16;                               ///< combinations of a size
constexpr std::int64_t kMostRowsLookedAt = std::int64_t{1} << 16U;  ///< bounds the time of a pair

/// Adds combinations to `encoding`, which has its columns, and their positions to `rows`. What is found depends on no
/// number of threads: a combination is one thread's work, in the order of the permutation. Time: pairs of columns times
/// rows looked at, and a sort of all rows for each that stays.
void AddCombinations(Context const& ctx, OrderedEncoding* encoding, OrderedRows* rows);

}  // namespace kauri
