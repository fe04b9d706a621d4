/// \file Histogram bins of categorical features, which the host searches: copies from the nodes' histograms.
///
/// A categorical split is a set, found after sorting (tree/categories/category_split.h), and there are few categories
/// compared with rows. Without categorical features nothing here does anything.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/histogram/device_histograms.h"
#include "kauri/context.h"
#include "tree/growth/hist_growth.h"
#include "tree/histogram/bin_split.h"

namespace kauri::cuda {

using DeviceNode = GrowingNode<ScalarGrowth>;

/// Buffers of CategoryCells, kept from tree to tree.
struct CategoryBuffers {
  Upload request;                ///< set by Fetch
  PinnedBuffer<FixedSum> cells;  ///< the copies; valid once the stream has been synchronised after Fetch
};

class CategoryCells {
 public:
  /// All arguments must outlive this.
  CategoryCells(CudaContext const& cuda, DeviceBins const& bins, TreeHistograms const& histograms,
                CategoryBuffers* buffers);

  /// Queues the copies of these nodes' sums, which are valid once the stream has been synchronised.
  void Fetch(std::vector<DeviceNode*> const& nodes);
  /// Replaces `best` of the nodes for which a categorical split is better.
  void Search(Context const& ctx, BinSplitFinder const& finder, std::vector<DeviceNode*> const& nodes);
  /// Returns the bins of a feature in a node whose sums were fetched.
  FixedSum const* Of(FixedSum const* histogram, std::uint32_t feature) const;
  void Forget(FixedSum const* histogram) { cells_.erase(histogram); }

 private:
  /// Number of sums kept for each node: its histogram bins, followed by their row counts if rows are counted.
  std::size_t NumKept() const { return (histograms_.counts_rows ? 2 : 1) * std::size_t{begin_.back()}; }

  CudaContext cuda_;
  DeviceBins const& bins_;
  TreeHistograms const& histograms_;
  CategoryBuffers& buffers_;
  /// [n_categorical + 1]: first bin of each categorical feature among a node's bins
  std::vector<std::uint32_t> begin_;
  std::unordered_map<FixedSum const*, std::vector<FixedSum>> cells_;  ///< by histogram
};

}  // namespace kauri::cuda
