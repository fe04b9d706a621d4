/// \file Histogram bins of categorical features, which the host searches: copies from the nodes' histograms.
///
/// A categorical split is a set, found after sorting (tree/categories/category_split.h), and there are few categories
/// compared with rows. Without categorical features nothing here does anything.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/gpu_hist_state.h"
#include "kauri/context.h"
#include "tree/growth/hist_growth.h"
#include "tree/histogram/bin_split.h"

namespace kauri::cuda {

using DeviceNode = GrowingNode<ScalarGrowth>;

class CategoryCells {
 public:
  CategoryCells(CudaContext const& cuda, HistOnDevice* data);

  /// Queues the copies of these nodes' sums, which are valid once the stream has been synchronised.
  void Fetch(std::vector<DeviceNode*> const& nodes);
  /// Replaces `best` of the nodes for which a categorical split is better.
  void Search(Context const& ctx, BinSplitFinder const& finder, std::vector<DeviceNode*> const& nodes);
  /// Returns the bins of a feature in a node whose sums were fetched.
  FixedSum const* Of(FixedSum const* histogram, std::uint32_t feature) const;
  void Forget(FixedSum const* histogram) { cells_.erase(histogram); }

 private:
  /// Number of sums kept for each node: its histogram bins, followed by their row counts if rows are counted.
  std::size_t NumKept() const { return (data_->counts_rows ? 2 : 1) * std::size_t{begin_.back()}; }

  CudaContext cuda_;
  HistOnDevice* data_;
  /// [n_categorical + 1]: first bin of each categorical feature among a node's bins
  std::vector<std::uint32_t> begin_;
  std::unordered_map<FixedSum const*, std::vector<FixedSum>> cells_;  ///< by histogram
};

}  // namespace kauri::cuda
