/// \file Buffers of trees of few rows, kept from tree to tree. FewRowsGrower alone uses them: their contents are valid
/// from its Search until its tree is complete.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/few_rows/grow_few_rows.h"

namespace kauri::cuda {

struct FewRowsState {
  /// Prepares for trees of these bins.
  void TakeBins(CudaContext const& cuda, DeviceBins const& bins);

  /// Returns whether some tree of the bins may be grown as one of few rows.
  bool Has() const { return most_codes > 0 && room.n_blocks > 0; }

  ClusterRoom room;                   ///< room of the device; set when bins of few rows are first taken
  std::uint32_t most_codes = 0;       ///< of a feature; 0: there are too many rows, or bins of another kind
  Upload of_tree;                     ///< features and totals
  PinnedBuffer<FewRowsSplit> answer;  ///< FewRowsTask::found
};

}  // namespace kauri::cuda
