/// \file Everything that tree_method=gpu_hist keeps in device memory for one data set.
#pragma once

#include <cstdint>
#include <memory>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/few_rows/few_rows_state.h"
#include "cuda/hist/histogram/tree_histograms.h"
#include "cuda/hist/level_buffers.h"
#include "cuda/hist/levels/tree_levels.h"
#include "cuda/hist/row_state.h"
#include "cuda/hist/shards/shard_rows.h"
#include "tree/growth/hist_growth.h"

namespace kauri::cuda {

/// Bins and the workspace in which trees grow, one after the other. The builder's state owns it. Each member says who
/// uses it; a grower borrows the members that it uses for the time of its tree. The workspace is kept when the bins are
/// replaced.
struct HistOnDevice {
  HistOnDevice(CudaContext const& cuda, std::shared_ptr<DeviceBins const> made)
      : levels(cuda.device), level(cuda.device), rows(cuda.device) {
    TakeBins(cuda, std::move(made));
  }
  /// Takes new bins of the same number of rows for the following trees. The old bins may be gone already. Shards get
  /// their codes from RowState::Shard.
  void TakeBins(CudaContext const& cuda, std::shared_ptr<DeviceBins const> made);

  std::shared_ptr<DeviceBins const> bins;  ///< codes and cuts; set by TakeBins, null only while they are replaced
  TreeHistograms histograms;               ///< histograms of the current tree, of every grower but FewRowsGrower
  GrowthMemory<ScalarGrowth> growth;       ///< nodes of the current tree, on the host; of every grower
  FewRowsState few_rows;                   ///< buffers of FewRowsGrower
  TreeLevels levels;                       ///< buffers of LevelsFinder
  LevelBuffers level;                      ///< buffers of GpuHistGrower and GpuSymmetricGrower
  bool has_said_obstacle = false;  ///< the log already says why the host takes part in every level (GrowHistTree)
  RowState rows;  ///< rows of the current tree; of every grower. Declared last, because shards read the members above
};

}  // namespace kauri::cuda
