/// \file Runs of consecutive rows, one for each of several devices: the first device's come first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kauri::cuda {

/// Consecutive rows of a data set.
struct RowsOfShare {
  std::int64_t first = 0;
  std::int64_t count = 0;

  std::int64_t End() const { return first + count; }
};

/// Fewer rows of a share are split and added up sooner than told where to go.
constexpr std::int64_t kFewestRowsOfShare = std::int64_t{1} << 18;

/// One share for each of n_devices, or of as many of them as get `fewest` rows or more; of one at least.
std::vector<RowsOfShare> CutRows(std::int64_t n_rows, std::size_t n_devices, std::int64_t fewest = kFewestRowsOfShare);

}  // namespace kauri::cuda
