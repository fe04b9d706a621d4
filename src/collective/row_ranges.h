/// \file The rows of a rank among those of all ranks.
///
/// Vocabulary. A row's global number is its place among the rows of all ranks, 0 .. N - 1; MetaInfo::global_rows says
/// which of them a rank has, in the order in which it holds them. What ranks learn together is what one process learns
/// from all rows in the order of their global numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/meta_info.h"

namespace kauri {

/// The most rows of all ranks: what sums of 2^32 quantised gradients are sure to fit.
constexpr std::int64_t kMostGlobalRows = (std::int64_t{1} << 32) - 1;

/// The ranges without empty ones, those joined that go on where the one before ends. \throws Error(kData) naming a
/// range below 0 or past kMostGlobalRows.
std::vector<RowRange> JoinedRanges(std::vector<RowRange> const& ranges);

/// The same. \throws Error(kData) also naming a row that is in two of them. Sorts the ranges.
std::vector<RowRange> CheckedRanges(std::vector<RowRange> const& ranges);

/// The ranges of this rank's rows, in their order here, joined. \throws Error(kData) as JoinedRanges, and unless they
/// have as many rows as the data set.
std::vector<RowRange> RangesOf(MetaInfo const& info);

/// \throws Error(kData) that the ranges of global_rows have another number of rows than the data.
[[noreturn]] void FailRangeCount(std::int64_t n_in_ranges, std::int64_t n_rows);

/// The number of a row of this rank among those of all, for messages.
std::int64_t GlobalRow(MetaInfo const& info, std::int64_t row);

/// The rows of one rank, whose ranges came over a wire. \throws Error(kCollective) for what RangesOf does not return.
std::int64_t RowsIn(std::vector<RowRange> const& of_rank);

/// The rows of all ranks, whose ranges are given by rank. \throws Error(kCollective) as RowsIn; Error(kData) for a row
/// beyond their number, and for more than kMostGlobalRows.
std::int64_t CountRowsOfRanks(std::vector<std::vector<RowRange>> const& ranges);

/// For ranks whose ranges do not hold each row from 0 on exactly once.
[[noreturn]] void FailPartition(std::int64_t row);

/// How many rows all ranks have together. \throws Error(kData), on every rank, for more than kMostGlobalRows in a
/// group.
std::int64_t CountGlobalRows(Context const& ctx, std::int64_t n_rows_here);

/// Nothing for one process alone, which has all rows in their order, whatever info.global_rows says. Costs one Gather
/// of 16 bytes a range. \throws Error(kData), on every rank with the same words, unless each row from 0 on is on one
/// rank once, and every rank has as many rows as its ranges say.
void RequirePartition(Context const& ctx, MetaInfo const& info);

}  // namespace kauri
