/// \file The best split of a node from its histogram.
#pragma once

#include <cstdint>
#include <vector>

#include "data/sketch/quantile_sketch.h"
#include "kauri/gradient.h"
#include "tree/categories/category_split.h"
#include "tree/drawn/drawn_columns.h"
#include "tree/growth/node_total.h"
#include "tree/split_gain.h"

namespace kauri {

/// Scratch of one thread: the bins of a feature that hold rows.
struct ScanScratch {
  std::vector<FixedSum> left;        ///< sums up to and including each such bin
  std::vector<std::uint32_t> codes;  ///< their codes
  std::vector<CategoryEntry> entries;
  std::vector<std::int64_t> n_left;  ///< rows up to and including each such bin, where they are counted
  std::vector<CountedCategory> counted_entries;

  /// Makes room for the bins of any feature.
  void Reserve(std::size_t n_bins) {
    if (left.size() >= n_bins) return;
    left.resize(n_bins);
    codes.resize(n_bins);
    n_left.resize(n_bins);
  }
};

/// Looks for the splits of the nodes of one tree between bins, or sets of bins; const and shared by threads. It refers
/// to what it is made of.
class BinSplitFinder {
 public:
  BinSplitFinder(GainParam const& param, QuantileCuts const& cuts) : param_(param), cuts_(cuts) {}

  /// Replaces *best where a split at `feature` is better (IsBetter, or what the node's noise makes of it); call it for
  /// ascending features.
  /// cells: the feature's part of the node's histogram. Candidates, as XGBoost's: with the missing rows to the right,
  /// the first cut behind every bin that holds rows, the last of them only where rows are missing; with the missing
  /// rows to the left, the last cut before every such bin but the first. A node in which no row misses the feature has
  /// no candidates of the second kind. All present rows to the right are a candidate only where a monotone constraint
  /// tells it from its mirror image; its threshold is the last cut before all of them, or the lower bound of the
  /// feature. Of a categorical feature, the candidates of category_split.h. Where the node's rows are limited, the
  /// cells are counted, bins with rows are told by their counts, and candidates leave both children enough.
  void Find(std::uint32_t feature, FixedSum const* cells, NodeTotal const& node, ScanScratch* scratch,
            SplitCandidate* best) const;
  /// The same for a numerical feature whose `count` bins with rows are in the scratch, with `n_left` where the node's
  /// rows are limited.
  void FindAmong(std::uint32_t feature, std::int64_t count, NodeTotal const& node, ScanScratch const& scratch,
                 SplitCandidate* best) const;
  /// The same for a categorical feature whose categories with rows are the scratch's entries, ascending, which are put
  /// in another order. Where rows are not limited.
  void FindAmongEntries(std::uint32_t feature, NodeTotal const& node, ScanScratch* scratch, SplitCandidate* best) const;
  /// Whether FindDrawn may take the place of Find: of the thresholds that are drawn nothing but gains is asked.
  bool GoesByGainAlone(NodeTotal const& node) const {
    return node.draw.is_on && !node.rows.IsOn() && !node.noise.IsOn() && node.costs.empty() && !param_.monotone;
  }
  /// The best of the thresholds that were drawn, with the sums of gradients and hessians left of them.
  SplitCandidate FindDrawn(DrawnColumns const& drawn, NodeTotal const& node, ScanScratch* scratch) const;
  /// The categories that go right at the best split of a node, which is at a categorical feature; cells as above.
  std::vector<std::int32_t> RightCategories(SplitCandidate const& best, FixedSum const* cells,
                                            CategoryRules const& rules) const;
  /// The same of the categories with rows, ascending, which are put in another order.
  std::vector<std::int32_t> RightCategories(SplitCandidate const& best, CategoryRules const& rules,
                                            std::vector<CategoryEntry>* entries) const;

 private:
  /// entries: of a categorical feature, counted where the node's rows are limited.
  template <typename Entry>
  void FindAmong(std::uint32_t feature, NodeTotal const& node, std::vector<Entry>* entries, SplitCandidate* best) const;
  void FindBetween(std::uint32_t feature, std::int64_t count, NodeTotal const& node, ScanScratch const& scratch,
                   SplitCandidate* best) const;
  void FindCategories(std::uint32_t feature, FixedSum const* cells, NodeTotal const& node, ScanScratch* scratch,
                      SplitCandidate* best) const;

  GainParam const& param_;
  QuantileCuts const& cuts_;
};

}  // namespace kauri
