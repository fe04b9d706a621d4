/// \file The best split of a node from its histogram.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/gradient.h"
#include "kauri/span.h"
#include "tree/categories/category_split.h"
#include "tree/split_gain.h"

namespace kauri {

/// What a scan needs to know of a node.
struct NodeTotal {
  FixedSum sum;
  double gain = 0.0;  ///< NodeGain(sum)
  WeightBounds bounds = {};
  Span<std::int8_t const> signs = {};  ///< [n_features]: monotone constraints; empty: none
  CategoryRules categories = {};
};

/// Scratch of one thread: the bins of a feature that hold rows.
struct ScanScratch {
  std::vector<FixedSum> left;        ///< sums up to and including each such bin
  std::vector<std::uint32_t> codes;  ///< their codes
  std::vector<CategoryEntry> entries;

  /// Makes room for the bins of any feature.
  void Reserve(std::size_t n_bins) {
    if (left.size() >= n_bins) return;
    left.resize(n_bins);
    codes.resize(n_bins);
  }
};

/// Replaces *best where a split at `feature` is better (IsBetter); call it for ascending features.
/// cells: the feature's part of the node's histogram. Candidates, as XGBoost's: with the missing rows to the right, the
/// first cut behind every bin that holds rows, the last of them only where rows are missing; with the missing rows to
/// the left, the last cut before every such bin but the first. A node in which no row misses the feature has no
/// candidates of the second kind. All present rows to the right are a candidate only where a monotone constraint tells
/// it from its mirror image; its threshold is the last cut before all of them, or the lower bound of the feature.
/// Of a categorical feature, the candidates of category_split.h.
void FindBestSplit(GainParam const& param, BinMatrix const& bins, std::uint32_t feature, FixedSum const* cells,
                   NodeTotal const& node, ScanScratch* scratch, SplitCandidate* best);

/// The same for a numerical feature whose `count` bins with rows are in the scratch.
void FindBestSplitOfBins(GainParam const& param, BinMatrix const& bins, std::uint32_t feature, std::int64_t count,
                         NodeTotal const& node, ScanScratch const& scratch, SplitCandidate* best);

/// The categories that go right at the best split of a node, which is at a categorical feature; cells as above.
std::vector<std::int32_t> RightCategoriesOf(GainParam const& param, BinMatrix const& bins, SplitCandidate const& best,
                                            FixedSum const* cells, CategoryRules const& rules);

/// [n_bins]: 1 where the bin's category is among `categories`, which ascend.
std::vector<std::uint8_t> MarkCategories(BinMatrix const& bins, std::uint32_t feature,
                                         std::vector<std::int32_t> const& categories);

/// The first bin right of a threshold that is one of the feature's cuts or its lower bound.
std::uint32_t FirstRight(BinMatrix const& bins, std::uint32_t feature, float threshold);

}  // namespace kauri
