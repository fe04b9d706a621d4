#include "tree/exact_partition.h"

#include <algorithm>

namespace kauri {

std::int64_t PartitionEntries(ColumnEntry const* entries, std::int64_t count, std::uint32_t const* new_position,
                              std::uint32_t middle, ColumnEntry* buffer, ColumnEntry* out) {
  // No branch: both places are written, one of them advances.
  std::int64_t n_right = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    ColumnEntry const moved{new_position[entries[i].row], entries[i].value};
    out[i - n_right] = moved;
    buffer[n_right] = moved;
    n_right += moved.row >= middle ? 1 : 0;
  }
  std::copy(buffer, buffer + n_right, out + (count - n_right));
  return count - n_right;
}

std::int64_t SelectEntries(ColumnEntry const* entries, std::int64_t count, std::uint32_t const* new_position,
                           std::uint32_t first, std::uint32_t end, ColumnEntry* out) {
  std::int64_t n_kept = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    ColumnEntry const moved{new_position[entries[i].row], entries[i].value};
    out[n_kept] = moved;
    n_kept += moved.row - first < end - first ? 1 : 0;
  }
  return n_kept;
}

}  // namespace kauri
