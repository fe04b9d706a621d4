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

  ClusterRoom room;                   ///< of the device, once bins of few rows were there
  std::uint32_t most_codes = 0;       ///< of a feature; 0: no tree of these bins is grown as one of few rows
  PinnedBuffer<FewRowsSplit> answer;  ///< FewRowsTask::found
};

}  // namespace kauri::cuda
