/// \file split_criterion=absolute_error on the device: the label bins of a tree's levels, and the splits by them.
///
/// The trees have the bytes of tree_method=exact in host memory (tree/exact/label_bin_scan.h): sums are integers, and
/// the values derived from them are computed by functions that both sides compile.
#pragma once

#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/exact/label_bins/label_rows.h"
#include "cuda/exact/label_bins/node_bins.h"
#include "cuda/exact/split/find_split.h"
#include "kauri/tree_builder.h"

namespace kauri::cuda {

/// Label bins of one level at a time. Buffers are kept from tree to tree.
class LevelLabels {
 public:
  /// Starts a tree. errors: arrays in device memory, which must stay until the tree is grown, like `sampled`. Waits for
  /// the stream.
  void Start(CudaContext const& cuda, LineErrors const& errors, Span<std::uint8_t const> sampled);
  /// Sets the label bins of a level's nodes. positions: [n_rows], device (entries/positions.h).
  void Prepare(CudaContext const& cuda, Span<std::int32_t const> positions, std::int32_t n_nodes);
  /// Does the same as FindSplitsByErrors, for the level that was prepared.
  void FindSplits(CudaContext const& cuda, SplitTask const& task, SplitScratch const& scratch, SplitCandidate* best);

  /// Returns the device memory for chunks of at most n_entries entries. A level with many nodes takes more.
  static std::size_t BytesOf(std::int64_t n_rows, std::int64_t n_entries);

 private:
  LineErrors errors_;
  Span<std::uint8_t const> sampled_;
  ResidualRows residuals_;
  NodeOrder order_;
  TileSummer tiles_;
  Buffer<double> shares_;
  Buffer<std::uint8_t> bin_of_row_;
  Buffer<float> edges_;
  Buffer<ResidualSum> node_bins_;
  Buffer<NodeLabels> nodes_;
};

}  // namespace kauri::cuda
