/// \file The rows of a growing tree on all devices that have some: those of the main one and of its shares.
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
  /// Waits for what other devices were asked: it refers to the task.
  ~TreeRows();
  TreeRows(TreeRows const&) = delete;
  TreeRows& operator=(TreeRows const&) = delete;

  /// A new tree: all rows are in its root.
  void Reset(int max_depth);
  /// Tells all rows their leaves.
  void WriteLeaves();
  /// Once shares were asked for their leaves: they have begun.
  void Wait();
  /// [n_nodes]: rows in the leaves, of all devices and ranks.
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
