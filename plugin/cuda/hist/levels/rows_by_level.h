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
  /// New trees of up to below.depth levels, of rows that were Reset. Both must outlive them.
  void Begin(CudaContext const& cuda, LevelPlace const& below, DeviceBins const& bins, GrowingRowsOnDevice const& rows);
  LevelRows const& Arrays() const { return arrays_; }
  /// Once the level at this depth is decided: its rows go to the children of their nodes.
  void Move(CudaContext const& cuda, int depth) const;
  /// What the level at this depth adds up; plan, pairs and all else of the task is the caller's.
  AddTask Added(int depth) const;

 private:
  /// That all trees have together.
  std::uint32_t NumRows() const { return n_trees_ * rows_->Root().count; }

  GrowingRowsOnDevice const* rows_ = nullptr;
  std::uint32_t n_trees_ = 1;
  LevelRows arrays_{};
  Buffer<RowStretch> nodes_;
  Buffer<NodeSplit> splits_;
  Buffer<std::uint32_t> n_left_;
  Buffer<HistogramNode> added_;
};

}  // namespace kauri::cuda
