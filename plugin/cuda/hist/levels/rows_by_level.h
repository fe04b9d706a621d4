/// \file Memory for the rows of a tree that is decided level by level (level_rows.h), on one device; reused from tree
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
  /// Begins new trees of up to below.depth levels on rows that were Reset. `bins` and `rows` must outlive the trees.
  void Begin(CudaContext const& cuda, LevelPlace const& below, DeviceBins const& bins, GrowingRowsOnDevice const& rows);
  LevelRows const& Arrays() const { return arrays_; }
  /// Moves the rows of the level at this depth to the children of their nodes, once the level is decided.
  void Move(CudaContext const& cuda, int depth) const;
  /// Returns the nodes that the level at this depth adds up. The caller sets plan, pairs and the rest of the task.
  AddTask Added(int depth) const;

 private:
  /// Returns the number of rows of all trees together.
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
