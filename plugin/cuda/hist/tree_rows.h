/// \file The rows of a growing tree on all its devices: the main device and its shares.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/hist/hist_task.h"
#include "kauri/context.h"
#include "kauri/tree.h"

namespace kauri::cuda {

class TreeRows {
 public:
  TreeRows(HistTask const& task, HistOnDevice* data)
      : cuda_(task.cuda), task_(task.tree), leaf_of_row_(task.leaf_of_row), data_(data) {}
  /// Waits for the work queued on other devices, because it refers to the task.
  ~TreeRows();
  TreeRows(TreeRows const&) = delete;
  TreeRows& operator=(TreeRows const&) = delete;

  /// Begins a tree: all rows are in its root.
  void Reset(int max_depth);
  /// Writes the leaf of every row.
  void WriteLeaves();
  /// Waits until the shares have queued the writing of their leaves.
  void Wait();
  /// Returns the number of rows in each node's leaf over all devices and ranks, [n_nodes].
  std::vector<std::int64_t> CountLeaves(Context const& ctx, Tree const& tree) const;

 private:
  void BeginShares(SharedTree const& tree);
  void WriteLeavesOfShares();

  CudaContext cuda_;
  DeviceTreeTask const& task_;
  Span<std::int32_t> leaf_of_row_;
  HistOnDevice* data_;
};

}  // namespace kauri::cuda
