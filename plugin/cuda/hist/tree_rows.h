/// \file The rows of one growing tree on all its devices: the main device and its shards.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/hist/hist_task.h"
#include "cuda/hist/row_state.h"
#include "kauri/context.h"
#include "kauri/tree.h"

namespace kauri::cuda {

/// A tree's use of the rows' state, from Reset until WriteLeaves.
class TreeRows {
 public:
  TreeRows(HistTask const& task, RowState* state)
      : cuda_(task.cuda), task_(task.tree), leaf_of_row_(task.leaf_of_row), state_(*state) {}
  /// Waits for the work queued on other devices, because it refers to the task.
  ~TreeRows();
  TreeRows(TreeRows const&) = delete;
  TreeRows& operator=(TreeRows const&) = delete;

  /// Begins a tree: all rows are in its root.
  void Reset(ShardTree const& tree);
  /// Returns the lists of the main device's rows.
  GrowingRowsOnDevice& Own() const { return state_.own; }
  std::vector<std::unique_ptr<HistShard>> const& Shards() const { return state_.shards; }

  /// Sets the pairs of a request to add up rows of the main device, and their records if the tree has some.
  void AddPairsTo(AddTask* add) const { add->Take(task_.pairs.data(), &state_.records); }
  /// Makes splits pending on all devices, as GrowingRowsOnDevice::Split and Foresee.
  void Split(std::vector<CodeSplit> const& splits);
  void Foresee(CodeSplit const& split);
  /// Moves the rows of pending splits to their children now, ahead of the next request. moves: the main device's
  /// request.
  void MoveNow(Upload* moves);
  /// Takes over how many rows went left, on all devices.
  void TakeStretches();
  void TakeForeseen();
  /// Returns the sums of the nodes that the shards were asked for last, one array per shard, in memory that the main
  /// device can read. Its stream waits for them.
  std::vector<FixedSum const*> CollectSums() const;
  /// Returns the number of a node's rows on all devices of this rank, once the answers have arrived.
  std::int64_t NumRowsOf(std::int32_t node) const;

  /// Writes the leaf of every row.
  void WriteLeaves();
  /// Waits until the shards have answered, or have queued the writing of their leaves.
  void Wait();
  /// Returns the number of rows in each node's leaf over all devices and ranks, [n_nodes].
  std::vector<std::int64_t> CountLeaves(Context const& ctx, Tree const& tree) const;

 private:
  void BeginShards(ShardTree const& tree);
  void WriteLeavesOfShards();

  CudaContext cuda_;
  DeviceTreeTask const& task_;
  Span<std::int32_t> leaf_of_row_;
  RowState& state_;
};

}  // namespace kauri::cuda
