/// \file Stable partition of a segment's entries by the new positions of their rows.
#pragma once

#include <cstdint>

#include "data/sorted_columns.h"

namespace kauri {

/// All three write entries with their new position, in order, and return how many they kept. `out` may be `entries`.

/// New positions below `middle` to `out`, the others (none dropped) after them; `buffer` [count] is scratch.
std::int64_t PartitionEntries(ColumnEntry const* entries, std::int64_t count, std::uint32_t const* new_position,
                              std::uint32_t middle, ColumnEntry* buffer, ColumnEntry* out);

/// Only new positions in [first, end).
std::int64_t SelectEntries(ColumnEntry const* entries, std::int64_t count, std::uint32_t const* new_position,
                           std::uint32_t first, std::uint32_t end, ColumnEntry* out);

}  // namespace kauri
