/// \file A shard of a training set's rows, which a device other than the main one splits and adds up.
///
/// Vocabulary. The main device has gradients, margins and leaves of all rows, and decides. With several devices the
/// rows are cut into shards of consecutive rows; the first shard is the main device's own. Each device has the codes of
/// its shard, keeps the lists of its rows by node, and adds up histograms of them. The main device adds the sums of all
/// devices (sum_shard.h). Sums are integers, so the result does not depend on where a row is counted.
///
/// Rows of one device whose codes stay in page-locked host memory also form a shard. Kernels read the codes there: 32
/// bytes a row and group of columns over the bus for the split and for the sum of a level, and for the leaves of a
/// tree.
///
/// Per level, each node whose rows are added up costs the transfer of its histogram. If the round of the rows is
/// computed on their device (engine/remote_shard.h), that is the whole cost. Otherwise a tree also moves, per row of a
/// shard, 8 bytes of gradients (or 4 for each sum of a vector leaf) to the device, and 4 bytes of its leaf back.
#pragma once

#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/event.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/hist/rows/growing_rows.h"
#include "cuda/hist/shards/copy_bins.h"
#include "cuda/tree/cut_rows.h"
#include "cuda/tree/device_tree_builder.h"

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

}  // namespace kauri::cuda
