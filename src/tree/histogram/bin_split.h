/// \file Finds the best split of a node from its histogram.
#pragma once

#include <cstdint>
#include <vector>

#include "data/sketch/quantile_sketch.h"
#include "kauri/gradient.h"
#include "tree/categories/category_split.h"
#include "tree/growth/split_search.h"
#include "tree/random_thresholds/drawn_columns.h"
#include "tree/split_gain.h"

namespace kauri {

/// Scratch of one thread: the bins of a feature that contain rows.
struct ScanScratch {
  std::vector<FixedSum> left;        ///< cumulative sums up to and including each such bin
  std::vector<std::uint32_t> codes;  ///< bin indices
  std::vector<CategoryEntry> entries;
  std::vector<std::int64_t> n_left;  ///< cumulative row counts up to and including each such bin, if rows are counted
  std::vector<CountedCategory> counted_entries;

  /// Makes room for the bins of any feature.
  void Reserve(std::size_t n_bins) {
    if (left.size() >= n_bins) return;
    left.resize(n_bins);
    codes.resize(n_bins);
    n_left.resize(n_bins);
  }
};

/// Finds the splits of the nodes of one tree, between bins or between sets of categories. It is const and shared by
/// threads. It refers to its constructor arguments.
class BinSplitFinder {
 public:
  BinSplitFinder(GainParam const& param, QuantileCuts const& cuts) : param_(param), cuts_(cuts) {}

  /// Replaces *best if a split at `feature` is better, by IsBetter or by the noise of the node. Callers pass the
  /// features in ascending order.
  /// cells: the feature's part of the node's histogram.
  /// Candidates are the same as XGBoost's. With the missing rows on the right: the first bin edge after every bin that
  /// contains rows; the edge after the last such bin only if rows are missing. With the missing rows on the left: the
  /// last bin edge before every such bin except the first. A node without missing rows has no candidates of the second
  /// kind. Sending all present rows to the right is a candidate only if a monotone constraint distinguishes it from its
  /// mirror image; its threshold is the last bin edge before all of them, or the lower bound of the feature. The
  /// candidates of a categorical feature are described in category_split.h. If min_data_in_leaf limits the node, rows
  /// are counted per cell, a bin contains rows if its count is positive, and candidates leave enough rows to both
  /// children.
  void Find(std::uint32_t feature, FixedSum const* cells, NodeTotal const& node, ScanScratch* scratch,
            SplitCandidate* best) const;
  /// Does the same for a numerical feature whose `count` bins with rows are in the scratch. `n_left` is set as well if
  /// min_data_in_leaf limits the node.
  void FindAmong(std::uint32_t feature, std::int64_t count, NodeTotal const& node, ScanScratch const& scratch,
                 SplitCandidate* best) const;
  /// Does the same for a categorical feature whose categories with rows are the entries of the scratch. Entries come in
  /// ascending order and are reordered. Requires that rows are not limited.
  void FindAmongEntries(std::uint32_t feature, NodeTotal const& node, ScanScratch* scratch, SplitCandidate* best) const;
  /// Returns whether FindDrawn may replace Find, because the random thresholds are compared by their gains alone.
  bool GoesByGainAlone(NodeTotal const& node) const {
    return node.draw.is_on && !node.rows.IsOn() && !node.noise.IsOn() && node.costs.empty() && !param_.monotone;
  }
  /// Returns the best of the random thresholds, with the sums of gradients and hessians left of it.
  SplitCandidate FindDrawn(DrawnColumns const& drawn, NodeTotal const& node, ScanScratch* scratch) const;
  /// Returns the categories that go right at the best split of a node, which is categorical. cells: as for Find.
  std::vector<std::int32_t> RightCategories(SplitCandidate const& best, FixedSum const* cells,
                                            CategoryRules const& rules) const;
  /// Does the same from the categories with rows. Entries come in ascending order and are reordered.
  std::vector<std::int32_t> RightCategories(SplitCandidate const& best, CategoryRules const& rules,
                                            std::vector<CategoryEntry>* entries) const;

 private:
  /// Searches the sets of categories of a feature. entries: categories of the feature, with row counts if
  /// min_data_in_leaf limits the node.
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
