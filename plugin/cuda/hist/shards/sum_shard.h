/// \file A shard of a training set's rows, which a device other than the main one splits and adds up.
///
/// Vocabulary. The main device has gradients, margins and leaves of all rows, and decides. With several devices the
/// rows are cut into shards of consecutive rows; the first shard is the main device's own. Each device has the codes of
/// its shard, keeps the lists of its rows by node, and adds up histograms of them (RowShard). SumShard is the interface
/// of a growing tree to a shard. The derived classes add up gradient pairs (hist_shard.h) or rows of a table of
/// gradients (VectorShard in hist_vector/vector_on_device.h). The main device adds the sums of all devices. Sums are
/// integers, so the result does not depend on where a row is counted.
///
/// Rows of one device whose codes stay in page-locked host memory also form a shard. Kernels read the codes there: 32
/// bytes a row and group of columns over the bus for the split and for the sum of a level, and for the leaves of a
/// tree.
///
/// Per level, each node whose rows are added up costs the transfer of its histogram. If the round of the rows is
/// computed on their device (engine/remote_shard.h), that is the whole cost. Otherwise a tree also moves, per row of a
/// shard, 8 bytes of gradients (or 4 for each sum of a vector leaf) to the device, and 4 bytes of its leaf back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/device_worker.h"
#include "cuda/common/event.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/data/row_parts.h"
#include "cuda/hist/rows/growing_rows.h"
#include "cuda/hist/shards/shard_bins.h"
#include "cuda/tree/cut_rows.h"
#include "cuda/tree/device_tree_builder.h"
#include "kauri/gradient.h"
#include "kauri/span.h"
#include "tree/rows/code_split.h"

namespace kauri::cuda {

/// Shard of another device, or of rows that do not fit into the main device's memory. Its calls set the current device
/// themselves.
class RowShard {
 public:
  /// Makes a shard without codes. main: the main device.
  RowShard(int device, int main, ShardRange rows);
  /// Waits for all work that reads this shard, and for its own reads of others.
  ~RowShard();
  RowShard(RowShard const&) = delete;
  RowShard& operator=(RowShard const&) = delete;

  CudaContext const& Cuda() const { return stream_.Context(); }
  ShardRange Place() const { return place_; }
  DeviceBins const& Bins() const { return bins_; }
  GrowingRowsOnDevice& Rows() { return rows_; }
  /// Request of a level.
  Upload& Request() { return request_; }

  /// Replaces the codes with copies of the main device's codes, which must be complete. First waits until the last tree
  /// has read the old codes. \throws Error(kMemory); the shard has no codes then.
  void TakeBins(DeviceBins const& from);
  /// Codes the shard's rows anew, from values on the shard's device and by the cuts of `layout`.
  void CodeRows(DeviceBins const& layout, RowPart const& rows);
  /// Reads the rows' codes from host memory; for a shard on the main device itself. from: must outlive the shard.
  void ReadBins(DeviceBins const& from);

  /// Begins a tree, once the event `ready` is reached. sampled: for all rows, on the main device, or empty.
  void BeginTree(CudaContext const& main, Event const& ready, Span<std::uint8_t const> sampled);
  /// Begins a tree whose input is already on this device.
  void BeginTree(ShardInput const& input);
  /// Records that others may read the results; Done().HoldBack makes them wait for it.
  void Finish() const { done_.Record(Cuda()); }
  Event const& Done() const { return done_; }
  /// Writes the rows' leaves. leaf_of_row: for all rows, on the main device, whose stream waits.
  void WriteLeaves(CudaContext const& main, Span<std::int32_t> leaf_of_row);
  /// Writes the rows' leaves on this device.
  void WriteLeaves(ShardInput const& input);

 private:
  void WriteLeavesHere(std::int32_t* leaf_of_row);

  StreamOwner stream_;  ///< declared before what is freed on it
  int main_;
  ShardRange place_;
  DeviceBins bins_;
  GrowingRowsOnDevice rows_;
  Buffer<std::uint8_t> sampled_;  ///< [count]; empty until a tree samples rows
  Buffer<std::int32_t> leaf_of_row_;
  Upload request_;
  Event done_;
};

/// A node whose rows are to be added up.
struct WantedNode {
  std::int32_t id;
  bool has_sibling;  ///< it has at most about half of its parent's rows
};

/// Rows of nodes on a shard's device that are about to be added up.
struct RowsToAdd {
  Upload const& request;        ///< includes what AddNodes appended
  std::size_t n_nodes;          ///< as passed to AddNodes
  std::uint32_t const* n_left;  ///< counts written by SplitNodes
  std::int64_t most_rows;       ///< approximate number of rows of all nodes
};

/// A thread of its own calls the device. Calls are queued and executed later, in order; an error is thrown by the next
/// Collect or Wait. Objects that calls refer to must live until Wait or Settle.
class SumShard {
 public:
  using Splits = std::shared_ptr<std::vector<CodeSplit> const>;

  /// Makes a shard without codes. main: the main device.
  SumShard(int device, int main, ShardRange rows) : shard_(device, main, rows), worker_(device) {}
  /// Derived classes call Settle in their destructors, because queued tasks use their members.
  virtual ~SumShard() = default;
  SumShard(SumShard const&) = delete;
  SumShard& operator=(SumShard const&) = delete;

  CudaContext const& Cuda() const { return shard_.Cuda(); }
  /// Valid after Wait, until the next call is queued.
  GrowingRowsOnDevice& Rows() { return shard_.Rows(); }
  /// Wakes the thread ahead of the next task. Waking a sleeping thread takes about 100 us.
  void Wake() {
    worker_.Post([] {});
  }
  /// Replaces the codes for the following trees, as RowShard::TakeBins, CodeRows and ReadBins. Wait throws
  /// Error(kMemory).
  void TakeBins(DeviceBins const& from);
  void CodeRows(DeviceBins const& layout, RowPart const& rows);
  void ReadBins(DeviceBins const& from);
  /// Keeps splits pending until Move or AddUp, as GrowingRowsOnDevice::Split and Foresee.
  void Split(Splits const& splits);
  void Foresee(CodeSplit const& split);
  /// Moves the rows of pending splits to their children now.
  void Move();
  /// Adds up the rows of these nodes, after moving the rows of splits that are still pending.
  void AddUp(std::vector<WantedNode> const& nodes);
  /// Returns the sums of the nodes, [n_nodes, SumsOfNode()], in memory that the main device can read. Its stream waits
  /// for them. Valid until the next AddUp.
  FixedSum const* Collect(CudaContext const& main);
  /// WaitUntilAsked and SumsFor are Collect in two steps, for streams that wait for the sums by other means. The first
  /// waits until the sums are queued; the second returns them for a stream that has waited.
  void WaitUntilAsked() { worker_.Wait(added_); }
  FixedSum const* SumsFor(CudaContext const& main);
  /// Waits for the last request: codes, sums and how many rows went left, or leaves.
  void Wait() { worker_.Wait(answered_); }
  /// Called after AddUp, when no split is pending any more.
  void TakeStretches();
  void TakeForeseen();
  /// Takes the finished tree, as GrowingRowsOnDevice::TakeTree, from memory of the main device once `ready` is reached.
  void TakeTree(Span<WalkNode const> tree, Event const& ready, int main);
  /// Writes the rows' leaves. leaf_of_row: for all rows, on the main device, whose stream waits once Wait has returned.
  void WriteLeaves(CudaContext const& main, Span<std::int32_t> leaf_of_row);
  /// Writes the rows' leaves on this device.
  void WriteLeaves(ShardInput const& input);
  /// Waits for all queued work; discards errors.
  void Settle() noexcept { worker_.Settle(); }

 protected:
  RowShard const& Shard() const { return shard_; }
  /// Queues a task on the thread.
  void Post(DeviceWorker::Task task) { worker_.Post(std::move(task)); }
  /// Begins a tree as RowShard::BeginTree. Runs on the thread.
  void BeginRows(CudaContext const& main, Event const& ready, Span<std::uint8_t const> sampled);
  void BeginRows(ShardInput const& input);
  /// Queues a task that adds up the nodes of a level, for Collect.
  void PostAddUp(DeviceWorker::Task task) { added_ = worker_.Post(std::move(task)); }
  /// Returns [n_nodes, SumsOfNode()] zeros, which Collect will return. Runs on the thread.
  FixedSum* ReserveSums(std::size_t n_nodes);
  /// Restricts Collect to n_nodes of these nodes, from first_node on. Runs on the thread.
  void GiveSums(std::size_t first_node, std::size_t n_nodes);
  /// Records that others may read the sums. Runs on the thread.
  void FinishSums() const { shard_.Finish(); }

 private:
  /// Called on the thread, like all virtual functions below, with its device current. Shard() has new codes.
  virtual void TakeCodes() {}
  /// Returns the number of sums per node.
  virtual std::size_t SumsOfNode() const = 0;
  /// Adds the nodes to the request in the kernels' format. sums: [n_nodes, SumsOfNode()], zero.
  virtual void AddNodes(std::vector<NodeSource> const& nodes, FixedSum* sums, Upload* request) = 0;
  /// Adds up the nodes' rows, once the rows have moved to the children of their nodes.
  virtual void AddRows(RowsToAdd const& rows) = 0;

  void AddUpRows(std::vector<WantedNode> const& nodes);

  RowShard shard_;
  std::vector<NodeSource> sources_;  ///< [n_nodes], of the last AddUp
  Buffer<FixedSum> sums_;
  std::size_t first_sum_ = 0;          ///< offset in `sums_` of the last sums
  std::size_t n_sums_ = 0;             ///< length of the last sums, [n_nodes, SumsOfNode()]
  Buffer<FixedSum> sums_on_main_;      ///< a copy, if the main device cannot read `sums_`
  Buffer<WalkNode> tree_;              ///< a copy
  Upload moves_;                       ///< moves of rows that were sent before AddUp
  bool has_moved_ = false;             ///< rows were moved before AddUp
  DeviceWorker::Ticket added_ = 0;     ///< the sums of the last AddUp are queued on the device's stream
  DeviceWorker::Ticket answered_ = 0;  ///< the last sums, codes or leaves are complete
  DeviceWorker worker_;                ///< declared after what its tasks use
};

}  // namespace kauri::cuda
