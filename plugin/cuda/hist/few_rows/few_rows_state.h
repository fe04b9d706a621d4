/// \file What trees of few rows need besides the codes, kept from tree to tree.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/few_rows/grow_few_rows.h"

namespace kauri::cuda {

struct FewRowsState {
  /// For trees of these bins.
  void TakeBins(CudaContext const& cuda, DeviceBins const& bins);

  unsigned n_blocks = 0;              ///< of a cluster; 0: no tree is grown as one of few rows
  std::uint32_t most_codes = 0;       ///< of a feature
  PinnedBuffer<FewRowsSplit> answer;  ///< FewRowsTask::found
};

}  // namespace kauri::cuda
