/// \file Computes histograms and best splits of the children of several nodes at once, for trees with vector leaves.
///
/// Vocabulary. A cell has `stride` sums, laid out like a row of the gradient table. A column holds bin indices of a
/// feature or of a bundle of features (data/bins/feature_bundles.h). A block is a set of columns whose cells together
/// fit in the second-level cache; it is the unit of work.
/// 1. Per pair and block, the rows of the smaller child are added up. The sibling's cells are the parent's minus those,
///    exactly, because the sums are integers. The features of the block are scanned while the cells are in the cache.
///    There are pairs times blocks units.
/// 2. If threads can use more units, the rows are divided into parts, each with its own cells, which are added up
///    before the scan. Sparse data, whose rows are read whole, are always treated this way.
/// The sums depend neither on parts nor on threads, because they are sums of integers. Children that together have few
/// rows are searched without histograms (FindSplitOfFewVectorRows), and so are their descendants.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/context.h"
#include "kauri/gradient.h"
#include "kauri/tree_builder.h"
#include "tree/growth/hist_growth.h"
#include "tree/hist_vector/vector_adder.h"
#include "tree/hist_vector/vector_growth.h"
#include "tree/hist_vector/vector_split.h"
#include "tree/histogram/histogram_adder.h"
#include "tree/rows/route_rows.h"
#include "tree/rows/row_lists.h"

namespace kauri {

// Finds the best split of a node with vector leaves and few rows without a histogram: hist/few_rows.h for cells
// of several sums, and random_thresholds/drawn_columns.h for random thresholds.
//
// A cell is as long as a cache line or two. Clearing, subtracting and scanning mostly empty histograms therefore costs
// more here than adding up the rows of both siblings. Features may be of any kind; the data must be dense.

/// Scratch of one thread.
struct FewVectorRowsScratch {
  std::vector<std::int64_t> cells;   ///< [n_bins + 1, stride] of any feature; zero between two features
  std::vector<std::uint64_t> used;   ///< a bit for each cell, also zero between two features
  std::vector<std::uint32_t> codes;  ///< bin indices of the cells with rows
  std::vector<std::int64_t> places;  ///< where the bin indices of each row begin
  std::vector<std::int32_t> values;  ///< [n_rows, stride]
  VectorScanScratch scan;
  DrawnColumns drawn;
};

/// Returns whether searching this many rows, of one node or of two siblings, is cheaper than using histograms. draws:
/// whether random thresholds are drawn for most columns at once.
bool AreFewVectorRows(BinMatrix const& bins, std::int64_t n_rows, bool draws);

/// The rows of one node.
struct RowsOfVectors {
  GradientTableView const& table;
  RowSlice slice;
  bool draws = false;  ///< random thresholds are drawn for most columns at once
};

/// Sets `best` and `total.left` of the node that has these rows. finder: uses `bins`.
void FindSplitOfFewVectorRows(VectorSplitFinder const& finder, BinMatrix const& bins, RowsOfVectors const& rows,
                              FewVectorRowsScratch* scratch, GrowingNode<VectorGrowth>* node);

using VectorNode = GrowingNode<VectorGrowth>;
using VectorPair = GrowingPair<VectorGrowth>;

/// State kept from tree to tree for one data set and one stride, and scratch.
class VectorWorkspace {
 public:
  VectorWorkspace(BinMatrix const& bins, std::int64_t stride);

  BinMatrix const& Bins() const { return *bins_; }
  std::int64_t Stride() const { return stride_; }
  SumPool<std::int64_t>* Pool() { return &pool_; }

  /// Begins a tree; call it for every tree. features (ascending): features that any node may use.
  void SetFeatures(std::vector<std::uint32_t> const& features);
  /// Sets `best` and `total.left` of the nodes in `pairs`, and `histogram` of the nodes that do not have few rows.
  void FindSplits(Context const& ctx, GradientTableView const& table, VectorSplitFinder const& finder,
                  RowLists const& rows, Span<VectorPair const> pairs);

 private:
  /// Consecutive features that share a column of bin indices, or a single feature, and their cells.
  struct Column {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::uint32_t first_cell = 0;
    std::uint32_t last_cell = 0;
  };
  /// Consecutive slots, and their features.
  struct Block {
    std::size_t first = 0;
    std::size_t last = 0;
    std::uint32_t first_feature = 0;
    std::uint32_t last_feature = 0;
  };
  /// Some rows of the small child of a pair.
  struct Part {
    std::size_t pair = 0;
    RowSlice slice;
    std::int64_t* histogram = nullptr;
  };
  /// One call of FindSplits.
  struct Job {
    GradientTableView const& table;
    VectorSplitFinder const& finder;
    Span<VectorPair const> pairs;
  };

  std::uint64_t Width() const { return static_cast<std::uint64_t>(stride_); }
  std::uint64_t FirstSum(std::uint32_t feature) const {
    return static_cast<std::uint64_t>(cell_begin_[feature]) * Width();
  }
  VectorCells CellsOf(std::int64_t const* histogram, std::uint32_t feature) const {
    return {histogram + FirstSum(feature), stride_, feature};
  }
  /// Searches the nodes of pairs with few rows and returns the other pairs. Returns all pairs in a distributed run,
  /// because the row counts of other ranks are unknown.
  std::vector<VectorPair> SearchFewRows(Context const& ctx, Job const& job, RowLists const& rows);
  void SearchHistograms(Context const& ctx, Job const& job, RowLists const& rows);
  bool HasCodes() const { return bins_->IsDense() || bins_->HasBundles(); }
  void MakeColumns();
  void PlanParts(Context const& ctx, RowLists const& rows, Span<VectorPair const> pairs);
  void AddParts(Context const& team, GradientTableView const& table);
  void AddPart(GradientTableView const& table, Part const& part, Block block);
  void FillMostFrequent(VectorNode const& node, Block block);
  /// Adds the cells of a pair's parts to the histogram of its small child.
  void MergeParts(std::size_t pair, VectorPair const& in, Block block);
  /// Keeps only the part of each pair that is its histogram.
  void GiveBackParts();
  /// Sums the small children's histograms over all ranks.
  void SumOverRanks(Context const& ctx, Span<VectorPair const> pairs);
  void FinishBlock(Job const& job, std::size_t pair, Block block, SplitCandidate* best);
  void ScanBlock(Job const& job, VectorNode const& node, Block block, SplitCandidate* best);
  void KeepBest(Job const& job, std::size_t pair);
  double Operations(RowLists const& rows, Span<VectorPair const> pairs) const;

  BinMatrix const* bins_;
  std::int64_t stride_;
  std::vector<std::uint32_t> cell_begin_;  ///< [n_cols + 1]: first cell of each feature
  std::vector<Column> columns_;
  SumPool<std::int64_t> pool_;
  std::vector<VectorSlot> slots_;
  std::vector<Block> blocks_;
  std::vector<VectorScanScratch> scratch_;      ///< by thread
  std::vector<FewVectorRowsScratch> few_rows_;  ///< by thread
  std::vector<Part> parts_;                     ///< by pair
  std::vector<std::size_t> first_part_;         ///< [n_pairs + 1]
  std::vector<std::int64_t> of_ranks_;          ///< scratch of SumOverRanks
  std::vector<SplitCandidate> found_;  ///< [n_pairs, n_blocks, 2]: best split of the small and of the large child
};

}  // namespace kauri
