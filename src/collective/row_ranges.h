/// \file The rows of a rank among those of all ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/meta_info.h"

namespace kauri {

/// The ranges of this rank's rows, in their order here; those that go on where the one before ends are joined, none is
/// empty. \throws Error(kData) unless they have as many rows as the data set, numbered from 0 to below 2^32.
std::vector<RowRange> RangesOf(MetaInfo const& info);

/// The number of a row of this rank among those of all, for messages.
std::int64_t GlobalRow(MetaInfo const& info, std::int64_t row);

/// The rows of one rank, whose ranges came over a wire. \throws Error(kCollective) for what RangesOf does not return.
std::int64_t RowsIn(std::vector<RowRange> const& of_rank);

/// The rows of all ranks, by rank. \throws Error(kCollective) as RowsIn; Error(kData) for a row beyond their number,
/// and for more than 2^32.
std::int64_t CountRows(std::vector<std::vector<RowRange>> const& ranges);

/// For ranks whose ranges do not hold each row from 0 on exactly once.
[[noreturn]] void FailPartition(std::int64_t row);

}  // namespace kauri
