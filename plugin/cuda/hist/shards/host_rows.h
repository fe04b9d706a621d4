/// \file How many rows have their codes in host memory: the rows that do not fit into device memory, or the fraction
/// that the user sets.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/common/cuda_context.h"

namespace kauri::cuda {

struct HostRowsTask {
  std::int64_t n_rows;
  std::size_t code_bytes;  ///< size of the codes of all rows
  float ratio;             ///< cache_host_ratio: the fraction of the rows; below 0: the rows that do not fit
};

/// Returns how many of the last rows stay in host memory. Logs the number and its cost once per data set. free_bytes:
/// free memory of the device.
std::int64_t NumHostRows(HostRowsTask const& task, std::size_t free_bytes);

}  // namespace kauri::cuda
