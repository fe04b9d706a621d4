/// \file How many rows have their codes in the host's memory: those that do not fit into the device's, or as many as
/// the user says.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/common/cuda_context.h"

namespace kauri::cuda {

struct HostRowsTask {
  std::int64_t n_rows;
  std::size_t code_bytes;  ///< of all rows
  float ratio;             ///< cache_host_ratio: the share of the rows, or below 0: as many as do not fit
};

/// The last rows of so many. Says in the log, once a data set, how many, and what it costs. free_bytes: of the device.
std::int64_t NumHostRows(HostRowsTask const& task, std::size_t free_bytes);

}  // namespace kauri::cuda
