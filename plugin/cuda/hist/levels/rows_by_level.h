/// \file The memory of the rows of a tree that is decided level by level (level_rows.h), on one device; kept from tree
/// to tree.
#pragma once

#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/levels/level_rows.h"
#include "cuda/hist/rows/growing_rows.h"
#include "kauri/span.h"

namespace kauri::cuda {

class RowsByLevel {
 public:
  /// A new tree of up to n_levels, of rows that were Reset. Both must outlive it.
  void Begin(CudaContext const& cuda, int n_levels, DeviceBins const& bins, GrowingRowsOnDevice const& rows);
  LevelRows const& Arrays() const { return arrays_; }
  /// Once the level at this depth is decided: its rows go to the children of their nodes.
  void Move(CudaContext const& cuda, int depth) const;
  /// What the level at this depth adds up; plan, pairs and all else of the task is the caller's.
  AddTask Added(int depth) const;

 private:
  GrowingRowsOnDevice const* rows_ = nullptr;
  LevelRows arrays_{};
  Buffer<RowStretch> nodes_;
  Buffer<NodeSplit> splits_;
  Buffer<std::uint32_t> n_left_;
  Buffer<HistogramNode> added_;
};

}  // namespace kauri::cuda
