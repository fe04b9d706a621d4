/// \file Rows of a training set that another device splits and adds up than the one that trains.
///
/// Vocabulary. The main device has gradients, margins and leaves of all rows, and decides. With several devices the
/// rows are cut into shares of consecutive ones; the first share is the main device's own. Each device has the codes of
/// its share, keeps the lists of its rows by node, and adds up histograms of them; their sums over all devices are
/// made on the main one (sum_share.h). Sums are integers, so where a row is counted changes nothing.
///
/// So are the rows of one device whose codes stay in page-locked memory of the host: kernels read them there, 32 bytes
/// a row and group of columns over the bus for the split and for the sum of a level, and for the leaves of a tree.
///
/// Per level each node whose rows are added up costs its histogram on the way. Where the round of the rows is computed
/// on their device (engine/apart_rows.h) that is all; elsewhere a row of a share costs 8 bytes of gradients on the way
/// there, or 4 for each sum of a vector leaf, and 4 of its leaf on the way back, per tree.
#pragma once

#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/event.h"
#include "cuda/common/upload.h"
#include "cuda/hist/rows/growing_rows.h"
#include "cuda/hist/shares/copy_bins.h"
#include "cuda/tree/cut_rows.h"
#include "cuda/tree/device_tree_builder.h"

namespace kauri::cuda {

/// The share of a device other than the main one, or of rows that have no place in its memory. Its calls make that
/// device current by themselves.
class RowShare {
 public:
  /// Without codes. main: the main device.
  RowShare(int device, int main, RowsOfShare rows);
  /// Waits for what others read of it and for what it reads of others.
  ~RowShare();
  RowShare(RowShare const&) = delete;
  RowShare& operator=(RowShare const&) = delete;

  CudaContext const& Cuda() const { return stream_.Context(); }
  RowsOfShare Place() const { return place_; }
  DeviceBins const& Bins() const { return bins_; }
  GrowingRowsOnDevice& Rows() { return rows_; }
  /// What is asked of a level.
  Upload& Request() { return request_; }

  /// Copies the codes of the rows from the main device, which has them ready, in place of those that were here, once
  /// the last tree has read these. \throws Error(kMemory); there are none then.
  void TakeBins(DeviceBins const& from);
  /// Of the main device itself: the rows' codes are read from the host's memory. from: must outlive it.
  void ReadBins(DeviceBins const& from);

  /// A new tree, once the work that `ready` stands for is done. sampled: of all rows, on the main device, or empty.
  void BeginTree(CudaContext const& main, Event const& ready, Span<std::uint8_t const> sampled);
  /// The same where all is on this device already.
  void BeginTree(ShareInput const& input);
  /// What others may read now: Done().HoldBack lets them wait for it.
  void Finish() const { done_.Record(Cuda()); }
  Event const& Done() const { return done_; }
  /// Tells the rows their leaves. leaf_of_row: of all rows, on the main device, whose stream waits.
  void WriteLeaves(CudaContext const& main, Span<std::int32_t> leaf_of_row);
  /// The same on this device.
  void WriteLeaves(ShareInput const& input);

 private:
  void WriteLeavesHere(std::int32_t* leaf_of_row);

  StreamOwner stream_;  ///< before what is freed on it
  int main_;
  RowsOfShare place_;
  DeviceBins bins_;
  GrowingRowsOnDevice rows_;
  Buffer<std::uint8_t> sampled_;  ///< [count], once a tree samples rows
  Buffer<std::int32_t> leaf_of_row_;
  Upload request_;
  Upload of_walk_;
  Event done_;
};

}  // namespace kauri::cuda
