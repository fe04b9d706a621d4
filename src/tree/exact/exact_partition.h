/// \file Stably partitions a segment's entries by the new positions of their rows.
#pragma once

#include <cstdint>

#include "data/sorted_columns.h"

namespace kauri {

/// Both functions write entries with their new positions, in order, and return how many they wrote. `out` may be
/// `entries`.

/// Writes entries with new positions below `middle` to `out`, followed by all others (none may be dropped). Returns the
/// number of the former. buffer: [count], scratch.
std::int64_t PartitionEntries(ColumnEntry const* entries, std::int64_t count, std::uint32_t const* new_position,
                              std::uint32_t middle, ColumnEntry* buffer, ColumnEntry* out);

/// Writes only entries with new positions in [first, end).
std::int64_t SelectEntries(ColumnEntry const* entries, std::int64_t count, std::uint32_t const* new_position,
                           std::uint32_t first, std::uint32_t end, ColumnEntry* out);

}  // namespace kauri
