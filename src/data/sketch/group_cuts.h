/// \file Exact cuts of columns whose rows are distributed over the ranks of a group; the same as for one process with
/// all rows.
///
/// 1. Some columns at a time, every rank counts its own keys (data/sketch/counted_column.h).
/// 2. The number of values is a sum over the ranks, their bounds are a maximum.
/// 3. A census of each column (data/sketch/column_census.h) requests weights of buckets. One sum over the ranks answers
///    the requests of all columns of the chunk; this repeats until there are no requests. It takes six sums if no value
///    is heavy. Each value that fills a bin by itself moves the steps behind it, which takes up to five more sums.
///
/// Data that a rank adds to the sums for a continuous column and max_bin=256: about 260 KB (each of about 256 buckets
/// is opened four times, with 32 parts of 8 bytes); for 28 columns 7.0 MB in 14 calls, whatever the number of rows.
/// Columns of small integers cost a hundredth of this.
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

/// Returns columns [first, last) of this rank's rows, valid until the next call.
using ReadColumns = std::function<std::vector<ColumnPart>(std::int64_t first, std::int64_t last)>;

/// Returns the cuts of all columns, [n_cols]. Every rank calls it with the same number of columns and the same task.
/// Costs one CountedColumn per column for each rank's values, and the memory of 16 columns, or of 256 MiB. \throws the
/// errors of Collective.
std::vector<FeatureCuts> CutsOverRanks(Context const& ctx, std::int64_t n_cols, CutTask const& task,
                                       ReadColumns const& read);

/// The same for rows in memory. Columns with a non-empty list in `skipped` ([n_cols], or empty) get no cuts.
std::vector<FeatureCuts> CutsOverRanks(Context const& ctx, DenseRows const& rows, Span<float const> weights,
                                       CutTask const& task, CategoryLists const& skipped);
std::vector<FeatureCuts> CutsOverRanks(Context const& ctx, DataMatrix const& rows, Span<float const> weights,
                                       CutTask const& task, CategoryLists const& skipped);

/// Replaces counts and bounds by the counts and bounds over all ranks.
void CountOverRanks(Context const& ctx, Span<FeatureCuts> features);

}  // namespace kauri
