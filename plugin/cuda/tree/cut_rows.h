/// \file Splits rows into consecutive ranges, one for each of several devices; the first device's comes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kauri::cuda {

/// Consecutive rows of a data set.
struct ShardRange {
  std::int64_t first = 0;
  std::int64_t count = 0;

  std::int64_t End() const { return first + count; }
};

/// Minimum number of rows of a shard. Below that, splitting and adding up rows takes less time than telling another
/// device what to do. On two H100s, 28 columns, depth 6, a tree takes as long as on one at about 5 M rows in all, 0.78
/// of the time at 10 M and 0.56 at 100 M.
constexpr std::int64_t kFewestRowsOfShard = std::int64_t{1} << 20;

/// Returns one shard for each of n_devices, or fewer shards, at least one, so that each has `fewest` rows or more.
std::vector<ShardRange> CutRows(std::int64_t n_rows, std::size_t n_devices, std::int64_t fewest = kFewestRowsOfShard);

}  // namespace kauri::cuda
