/// \file The task of growing a tree with scalar leaves, and the tree's rows on all its devices: the main device and its
/// shards. RowState keeps the rows of a data set from tree to tree; TreeRows is one tree's use of them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "cuda/common/event.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/histogram/add_rows.h"
#include "cuda/hist/histogram/row_records.h"
#include "cuda/hist/rows/growing_rows.h"
#include "cuda/hist/shards/hist_shard.h"
#include "cuda/hist/shards/shard_rows.h"
#include "cuda/tree/device_tree_builder.h"
#include "kauri/context.h"
#include "kauri/span.h"
#include "kauri/tree.h"

namespace kauri::cuda {

/// Input and place of a growing tree.
struct HistTask {
  CudaContext cuda;
  DeviceTreeTask const& tree;
  Span<std::int32_t> leaf_of_row;  ///< (out) [n_rows], device; holds lists of rows while the tree grows
};

/// The main device has the first rows, and each shard has the next ones. The division is set once for the bins; the
/// lists of rows and the records are valid for one tree, from TreeRows::Reset on.
struct RowState {
  explicit RowState(int device) : gradients_ready(device) {}
  /// Gives all rows of the bins to the main device. bins: must outlive the trees.
  void TakeBins(CudaContext const& cuda, DeviceBins const& bins);
  /// Splits the rows of the bins among these devices, the first of which has the bins. Does nothing if that was done
  /// since TakeBins. The same devices have the same rows whenever it is called. \throws Error(kMemory): call it again.
  void Shard(CudaContext const& cuda, DeviceBins const& bins, ShardDevices const& among);
  /// Adds a shard of the rows of `whole` that follow the rows of the bins; their codes stay in host memory. \throws
  /// Error(kMemory).
  void AddHostRows(CudaContext const& cuda, DeviceBins const& bins, DeviceBins const& whole);

  GrowingRowsOnDevice own;                         ///< lists of the main device's rows
  RowRecords records;                              ///< packed codes and gradients of the main device's rows
  std::int64_t n_own = 0;                          ///< number of the main device's rows
  bool is_sharded = false;                         ///< whether Shard was called for the bins
  Event gradients_ready;                           ///< gradients of a tree are ready, for the shards
  std::vector<std::unique_ptr<HistShard>> shards;  ///< rows of other devices, or rows whose codes are in host memory
};

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
  void AddPairsTo(AddTask* add) const { add->Take(task_.pairs.data(), task_.small.data(), &state_.records); }
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
