/// \file The sums of categorical features, which the host searches: copies of their parts of the nodes' histograms.
///
/// A categorical split is a set, found after sorting (tree/categories/category_split.h), and categories are few beside
/// rows. Where no feature is categorical nothing here does anything.
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

  /// Asks for the sums of these nodes; they are there once the stream has passed.
  void Fetch(std::vector<DeviceNode*> const& nodes);
  /// Replaces `best` of the nodes where a split by category is better.
  void Search(Context const& ctx, BinSplitFinder const& finder, std::vector<DeviceNode*> const& nodes);
  /// The cells of a feature of a node whose sums were fetched.
  FixedSum const* Of(FixedSum const* histogram, std::uint32_t feature) const;
  void Forget(FixedSum const* histogram) { cells_.erase(histogram); }

 private:
  /// Of a node: its sums, and behind them their counts where rows are counted.
  std::size_t NumKept() const { return (data_->counts_rows ? 2 : 1) * std::size_t{begin_.back()}; }

  CudaContext cuda_;
  HistOnDevice* data_;
  std::vector<std::uint32_t> begin_;  ///< [n_categorical + 1]: of each categorical feature among the cells of a node
  std::unordered_map<FixedSum const*, std::vector<FixedSum>> cells_;  ///< by histogram
};

}  // namespace kauri::cuda
