/// \file The rows of a rank as part of the rows of all ranks.
///
/// Vocabulary. A row's global number is its position among the rows of all ranks, 0 .. N - 1. MetaInfo::global_rows
/// lists the global numbers of a rank's rows, in the order in which the rank stores them. The ranks together learn the
/// same model as one process that has all rows in the order of their global numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/meta_info.h"

namespace kauri {

/// Maximum number of rows of all ranks, for which sums of quantised gradients cannot overflow.
constexpr std::int64_t kMostGlobalRows = (std::int64_t{1} << 32) - 1;

/// Returns the ranges without empty ones, joining ranges that continue each other. \throws Error(kData) naming a range
/// below 0 or past kMostGlobalRows.
std::vector<RowRange> JoinedRanges(std::vector<RowRange> const& ranges);

/// Does the same. \throws Error(kData) also for a row that is in two ranges, naming it.
std::vector<RowRange> CheckedRanges(std::vector<RowRange> const& ranges);

/// Returns the ranges of this rank's rows, in their local order, joined. \throws Error(kData) like JoinedRanges, and
/// unless the ranges have as many rows as the data set.
std::vector<RowRange> RangesOf(MetaInfo const& info);

/// \throws Error(kData) stating that the ranges of global_rows and the data have different numbers of rows.
[[noreturn]] void FailRangeCount(std::int64_t n_in_ranges, std::int64_t n_rows);

/// Returns the global number of a local row, for messages.
std::int64_t GlobalRow(MetaInfo const& info, std::int64_t row);

/// Returns the number of rows of one rank from its ranges, which are untrusted. \throws Error(kCollective) for ranges
/// that RangesOf cannot return.
std::int64_t RowsIn(std::vector<RowRange> const& of_rank);

/// Returns the number of rows of all ranks from the ranges of each rank. \throws Error(kCollective) like RowsIn;
/// Error(kData) for a row beyond their number, and for more than kMostGlobalRows.
std::int64_t CountRowsOfRanks(std::vector<std::vector<RowRange>> const& ranges);

/// Fails because the ranges of the ranks do not contain each row from 0 on exactly once.
[[noreturn]] void FailPartition(std::int64_t row);

/// Returns the number of rows of all ranks. \throws Error(kData), on every rank, for more than kMostGlobalRows in a
/// distributed run.
std::int64_t CountGlobalRows(Context const& ctx, std::int64_t n_rows_here);

/// Checks that the ranks partition the rows. Does nothing for a single process, which has all rows in order, whatever
/// info.global_rows contains. Costs one Gather of 16 bytes per range. \throws Error(kData), on every rank with the same
/// message, unless each row from 0 on is on one rank once, and every rank has as many rows as its ranges.
void RequirePartition(Context const& ctx, MetaInfo const& info);

}  // namespace kauri
