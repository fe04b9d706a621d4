/// \file Rows of a training set that another device splits and adds up than the one that trains.
///
/// Vocabulary. The main device has gradients, margins and leaves of all rows, and decides. With several devices the
/// rows are cut into shares of consecutive ones; the first share is the main device's own. Each device has the codes of
/// its share, keeps the lists of its rows by node, and adds up histograms of them; their sums over all devices are
/// made on the main one (hist_share.h). Sums are integers, so where a row is counted changes nothing.
///
/// Per tree a row of a share costs 8 bytes of gradients on the way there (4 for each place of the table of vector
/// leaves) and 4 of its leaf on the way back; per level each node whose rows are added up costs its histogram.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/event.h"
#include "cuda/common/upload.h"
#include "cuda/hist/rows/growing_rows.h"
#include "cuda/hist/shares/copy_bins.h"

namespace kauri::cuda {

/// The share of a device other than the main one. Its calls make that device current by themselves.
class RowShare {
 public:
  /// Copies the codes of the rows from the main device. \throws Error(kMemory).
  RowShare(int device, CudaContext const& main, DeviceBins const& from, RowsOfShare rows);
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

  /// A new tree, once the work that `ready` stands for is done. sampled: of all rows, on the main device, or empty.
  void BeginTree(CudaContext const& main, Event const& ready, Span<std::uint8_t const> sampled);
  /// What others may read now: Done().HoldBack lets them wait for it.
  void Finish() const { done_.Record(Cuda()); }
  Event const& Done() const { return done_; }
  /// Tells the rows their leaves. leaf_of_row: of all rows, on the main device, whose stream waits.
  void WriteLeaves(CudaContext const& main, Span<std::int32_t> leaf_of_row);

 private:
  StreamOwner stream_;  ///< before what is freed on it
  RowsOfShare place_;
  DeviceBins bins_;
  GrowingRowsOnDevice rows_;
  Buffer<std::uint8_t> sampled_;  ///< [count], once a tree samples rows
  Buffer<std::int32_t> leaf_of_row_;
  Upload request_;
  Upload of_walk_;
  Event done_;
};

/// The rows of each of n_devices shares, the first the main device's.
std::vector<RowsOfShare> CutRows(std::int64_t n_rows, std::size_t n_devices);

/// Fewer rows of a share are split and added up sooner than told where to go.
constexpr std::int64_t kFewestRowsOfShare = std::int64_t{1} << 18;

/// How many of n_devices get `fewest` rows or more: 1 at least.
std::size_t NumDevicesFor(std::int64_t n_rows, std::size_t n_devices, std::int64_t fewest);

}  // namespace kauri::cuda
