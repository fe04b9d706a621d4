/// \file The rows of a growing tree: which stretch of the lists (hist/rows/node_rows.h) each of its nodes has.
///
/// Splits wait until the next request goes to the device; how many rows went left is known once that is answered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/common/upload.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/rows/node_rows.h"
#include "kauri/span.h"
#include "tree/rows/code_split.h"

namespace kauri::cuda {

/// Where the rows of a node are once the splits that wait are made.
struct NodeSource {
  RowStretch rows;        ///< its own, or its parent's where `split` is there
  std::int32_t split;     ///< which of the waiting splits makes it, or -1
  std::uint32_t is_left;  ///< which child it is
};

class GrowingRowsOnDevice {
 public:
  /// A new tree: all rows are in its root.
  void Reset(CudaContext const& cuda, std::int64_t n_rows);
  /// Lets splits wait. Their children have consecutive numbers.
  void Split(std::vector<CodeSplit> const& splits) { waiting_ = splits; }
  bool AnyWaits() const { return !waiting_.empty(); }
  NodeSource SourceOf(std::int32_t node) const;
  RowPointers Pointers() const { return lists_.Pointers(); }

  /// The splits that wait become part of a request.
  void AddTo(DeviceBins const& bins, Upload* request);
  /// Once that is sent: rows go to the children of their nodes. leaf_of_row (out): of those whose node is a leaf for
  /// good, device.
  void Move(CudaContext const& cuda, DeviceBins const& bins, Upload const& request, Span<std::int32_t> leaf_of_row);
  /// [2 * n_splits], device: rows that went left, and right, by the request.
  std::uint32_t const* NumLeft(Upload const& request) const { return request.At<std::uint32_t>(n_left_place_); }
  /// Once the stream has passed Move: no split waits any more. n_nodes: of the tree.
  void TakeStretches(std::int32_t n_nodes);
  /// Tells every row its leaf. request: what holds no other request now.
  void WriteLeaves(CudaContext const& cuda, Upload* request, Span<std::int32_t> leaf_of_row) const;

 private:
  NodeSplit MakeSplit(DeviceBins const& bins, CodeSplit const& split, std::vector<std::uint32_t>* category_bits) const;

  RowBuffers lists_;
  std::vector<RowStretch> stretches_;  ///< by node; empty ones: their rows are in descendants, or have their leaves
  std::vector<CodeSplit> waiting_;
  std::size_t splits_place_ = 0;
  std::size_t category_bits_place_ = 0;
  std::size_t n_left_place_ = 0;
  std::uint32_t n_tiles_ = 0;  ///< of the splits
  std::uint32_t n_rows_ = 0;
  PinnedBuffer<std::uint32_t> n_left_;  ///< the answer
};

}  // namespace kauri::cuda
