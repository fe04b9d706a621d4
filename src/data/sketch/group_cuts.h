/// \file The exact cuts of columns of which each rank of a group has some rows: those of one process with all rows.
///
/// 1. Some columns at a time, every rank counts its own keys (data/sketch/counted_column.h).
/// 2. How many values there are, and their bounds, are a sum and a maximum over the ranks.
/// 3. A census of each column (data/sketch/column_census.h) asks for weights of buckets; one sum over the ranks answers
///    for all columns of the chunk, until none asks any more. Six sums where no value weighs a lot; each value that
///    fills a bin by itself moves the steps behind it, which takes up to five more.
///
/// What a rank gives to the sums for a continuous column and max_bin=256: about 260 KB (each of some 256 buckets is
/// opened four times, at 32 parts of 8 bytes), 7.0 MB in 14 calls for 28 of them, however many rows there are; the
/// columns of small integers cost a hundredth of that.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "data/column_parts.h"
#include "data/sketch/cut_weights.h"
#include "data/sketch/sketch_cuts.h"
#include "kauri/context.h"

namespace kauri {

/// Columns [first, last) of this rank's rows, which may be read until the next call.
using ReadColumns = std::function<std::vector<ColumnPart>(std::int64_t first, std::int64_t last)>;

/// [n_cols]. Every rank calls it with as many columns and the same task. Costs what CountedColumn costs for
/// each rank's values, and the memory of 16 columns, or of 256 MiB. \throws what Collective does.
std::vector<FeatureCuts> CutsOverRanks(Context const& ctx, std::int64_t n_cols, CutTask const& task,
                                       ReadColumns const& read);

/// The same of rows that are at hand; columns of `skipped` ([n_cols], or empty) that are not empty there have no cuts.
std::vector<FeatureCuts> CutsOverRanks(Context const& ctx, DenseRows const& rows, Span<float const> weights,
                                       CutTask const& task, CategoryLists const& skipped);
std::vector<FeatureCuts> CutsOverRanks(Context const& ctx, DataMatrix const& rows, Span<float const> weights,
                                       CutTask const& task, CategoryLists const& skipped);

/// Counts and bounds become those of all ranks.
void CountOverRanks(Context const& ctx, Span<FeatureCuts> features);

}  // namespace kauri
