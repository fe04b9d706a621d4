/// \file The rows of a growing tree: which stretch of the lists (hist/rows/node_rows.h) each of its nodes has.
///
/// Splits wait until the next request goes to the device; how many rows went left is known once that is answered. Rows
/// that were not sampled, and those of children that are leaves for good, are in no list: a walk of the finished tree
/// tells all rows their leaves (hist/rows/walk_codes.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/common/upload.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/rows/node_rows.h"
#include "cuda/hist/rows/walk_codes.h"
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
  /// bins: must outlive this.
  GrowingRowsOnDevice(CudaContext const& cuda, DeviceBins const& bins);

  /// A new tree: all rows, or those that are sampled ([n_rows], device; empty: all), are in its root. request: what
  /// holds no other request now. leaf_of_row: [n_rows], device: memory for lists of rows until they get their leaves.
  void Reset(CudaContext const& cuda, Span<std::int32_t> leaf_of_row, Span<std::uint8_t const> sampled,
             Upload* request);
  /// Lets splits wait, but for those whose children are leaves for good.
  void Split(std::vector<CodeSplit> const& splits);
  NodeSource SourceOf(std::int32_t node) const;
  RowPointers Pointers() const { return lists_.Pointers(); }

  /// The splits that wait become part of a request.
  void AddTo(Upload* request);
  /// Once that is sent: rows go to the children of their nodes.
  void Move(CudaContext const& cuda, Upload const& request);
  /// [2 * n_splits], device: rows that went left, and right, by the request.
  std::uint32_t const* NumLeft(Upload const& request) const { return request.At<std::uint32_t>(n_left_place_); }
  /// Once the stream has passed Move: no split waits any more.
  void TakeStretches();
  /// Tells every row its leaf. request: as in Reset.
  void WriteLeaves(CudaContext const& cuda, Upload* request, Span<std::int32_t> leaf_of_row) const;

 private:
  void SampleRoot(CudaContext const& cuda, Span<std::uint8_t const> sampled, Upload* request);
  void AddToWalk(CodeSplit const& split);
  NodeSplit MakeSplit(CodeSplit const& split, std::vector<std::uint32_t>* category_bits) const;

  DeviceBins const& bins_;
  Buffer<FeaturePlace> places_;  ///< [n_cols]
  RowBuffers lists_;
  std::vector<RowStretch> stretches_;  ///< by node, of those that may be split
  std::vector<CodeSplit> waiting_;     ///< by the numbers of their children, ascending
  std::vector<WalkNode> walk_;         ///< the tree so far
  std::vector<std::uint32_t> walk_bits_;
  std::size_t splits_place_ = 0;
  std::size_t category_bits_place_ = 0;
  std::size_t n_left_place_ = 0;
  std::uint32_t n_tiles_ = 0;
  PinnedBuffer<std::uint32_t> n_left_;  ///< the answer
};

}  // namespace kauri::cuda
