/// \file Computes histograms and best splits of the children of several nodes at once.
///
/// For each pair of children, only the histogram of the child with fewer rows is added up. The sibling's histogram is
/// the parent's minus that one, exactly, because the sums are integers. Three steps:
/// 1. The rows of the smaller children, laid end to end, are divided into portions. Each portion adds its rows to its
///    own histograms; only the first portion of a node uses the node's. If threads would stay idle, the columns are
///    also divided into bands.
/// 2. Per pair and block of features, the portions' histograms are added up and the sibling's is derived.
/// 3. While those cells are in the cache, the features of the block are scanned.
/// The numbers of portions, bands and blocks depend on the number of threads. The sums do not, because they are sums of
/// integers. Neither does the choice of splits: the better split wins, and among equals the one with the lower feature.
/// Children that together have few rows are searched without histograms (few_rows.h), and so are their descendants.
/// Symmetric trees choose splits per level (level_search.h), so only histograms are made for them, for all nodes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kauri/context.h"
#include "kauri/tree_builder.h"
#include "tree/growth/hist_growth.h"
#include "tree/hist/few_rows.h"
#include "tree/histogram/bin_split.h"
#include "tree/histogram/histogram_adder.h"
#include "tree/histogram/rank_histograms.h"
#include "tree/rows/row_lists.h"

namespace kauri {

using HistNode = GrowingNode<ScalarGrowth>;
using HistPair = GrowingPair<ScalarGrowth>;

/// Row counts of the cells of a histogram, kept if min_data_in_leaf needs them.
///
/// The counts follow the sums of all cells, one count per cell; the last value is the row count of the node. Each count
/// is a FixedSum whose gradient is the count. Counts are therefore built from pairs (1, 0) by the code that adds
/// gradients, and are subtracted for siblings and summed over ranks like sums. They cost as much as the sums, and
/// nothing if they are not needed.
class CellCounts {
 public:
  explicit CellCounts(std::uint32_t n_cells) : halves_{0, n_cells} {}

  /// Sets whether the following trees count rows. n_rows: rows of the data.
  void Set(bool is_on, std::int64_t n_rows) {
    is_on_ = is_on;
    pairs_.assign(is_on ? static_cast<std::size_t>(n_rows) : 0, {1, 0});
  }
  bool IsOn() const { return is_on_; }
  /// Returns the size of a histogram in sums.
  std::size_t HistogramSize() const { return is_on_ ? 2 * NumCells() + 1 : NumCells(); }
  std::size_t NumCells() const { return halves_[1]; }
  /// Returns the offset of the sums and, if rows are counted, the offset of the counts.
  Span<std::size_t const> Halves() const { return {halves_.data(), is_on_ ? std::size_t{2} : std::size_t{1}}; }
  FixedSum* Of(FixedSum* histogram) const { return histogram + NumCells(); }
  FixedSum* AllOf(FixedSum* histogram) const { return histogram + 2 * NumCells(); }
  /// Returns the pairs that counts are added up from, [n_rows].
  Span<FixedPair const> Pairs() const { return pairs_; }

 private:
  std::array<std::size_t, 2> halves_;
  bool is_on_ = false;
  std::vector<FixedPair> pairs_;
};

/// The work of adding up histograms: portions of rows, each of which is added to one band of columns per task.
struct HistPortions {
  /// Rows of one small child and the histogram that they are added to.
  struct Piece {
    RowSlice slice;
    FixedSum* histogram = nullptr;
  };
  struct Portion {
    std::size_t first_piece = 0;
    std::size_t last_piece = 0;
  };

  std::int64_t NumTasks() const { return static_cast<std::int64_t>(portions.size() * bands.size()); }
  /// Returns the band of a task. A task is one portion in one band.
  HistogramAdder::Band const& BandOf(std::int64_t task) const {
    return bands[task % static_cast<std::int64_t>(bands.size())];
  }
  Span<Piece const> PiecesOf(std::int64_t task) const {
    auto const& portion = portions[task / static_cast<std::int64_t>(bands.size())];
    return {pieces.data() + portion.first_piece, portion.last_piece - portion.first_piece};
  }

  Context team;  ///< threads that share the work
  std::vector<Piece> pieces;
  std::vector<Portion> portions;
  std::vector<HistogramAdder::Band> bands;
};

/// State kept from tree to tree for one data set, and scratch.
class HistWorkspace {
 public:
  explicit HistWorkspace(BinMatrix const& bins);

  BinMatrix const& Bins() const { return *bins_; }
  HistogramPool* Pool() { return &pool_; }

  HistogramAdder const& Adder() const { return adder_; }

  /// Takes back all histograms. searches_nodes: whether this object searches the splits of this tree. counts_rows:
  /// whether histograms also have row counts (CellCounts), which min_data_in_leaf needs.
  void BeginTree(bool searches_nodes, bool counts_rows);

  /// Sets `best` of the nodes in pairs with few rows and returns the other pairs. Returns all pairs in a distributed
  /// run, because the row counts of other ranks are unknown, and also if rows are counted per cell.
  std::vector<HistPair> SearchFewRows(Context const& ctx, TreeTask const& task, GainParam const& gain,
                                      RowLists const& rows, Span<HistPair const> pairs);
  /// Returns the categories that go right at the best split of a node searched by SearchFewRows.
  std::vector<std::int32_t> RightCategoriesOf(BinSplitFinder const& finder, FewRows const& rows,
                                              SplitCandidate const& best) {
    return RightCategoriesOfFewRows(finder, *bins_, rows, best, &few_rows_[0]);
  }
  /// Borrows histograms for the small children and divides the work of adding them up.
  HistPortions const& PlanPortions(Context const& ctx, RowLists const& rows, Span<HistPair const> pairs);
  bool CountsRows() const { return counts_.IsOn(); }
  /// Counts the rows of the piece in the band's cells of `features`.
  void CountPiece(HistPortions::Piece const& piece, Span<std::uint32_t const> features,
                  HistogramAdder::Band const& band) const;
  /// Sums the small children's histograms over all ranks, for the features that the tree may use. Once a level is
  /// large, and from then on to the end of the tree, each rank receives only the sums of its own columns. Call it
  /// before FinishSplits.
  void SumOverRanks(Context const& ctx, Span<std::uint32_t const> features, Span<HistPair const> pairs);
  /// Sets `best` of the nodes in `pairs`, and the histograms of large children, once all portions are added up. If
  /// columns are divided among ranks, each rank searches its own columns, and the ranks agree on the best split.
  void FinishSplits(Context const& ctx, GainParam const& gain, Span<HistPair const> pairs);

 private:
  /// A range of consecutive features.
  struct FeatureBlock {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    bool operator==(FeatureBlock const& other) const { return first == other.first && last == other.last; }
  };

  /// The search of a node with few rows at some of its features.
  struct Search {
    HistNode* node;
    Span<std::uint32_t const> features;
    SplitCandidate best;
  };

  /// Divides the work of searching nodes with few rows. A node has one search if threads would not stay idle, or if
  /// `draws`: random thresholds of all columns are searched together.
  void PlanSearches(Context const& team, RowLists const& rows, Span<HistNode* const> nodes, bool draws);
  /// Divides the features of this rank into blocks of up to cells_per_block cells, at least one feature each.
  void MakeBlocks(std::int64_t cells_per_block, FeatureBlock mine);
  /// Returns the features that this rank searches.
  FeatureBlock Mine(Context const& ctx) const;
  void MergePartial(Context const& ctx, Span<HistPair const> pairs);
  /// Sets the number of rows of each node.
  void CountRows(Span<HistPair const> pairs) const;
  /// Adds the ranges of the counts that belong to the ranges of sums that a rank needs.
  void AddCounts(SumRanges* ranges) const;
  void KeepBest(Span<HistPair const> pairs);
  void FinishBlock(BinSplitFinder const& finder, HistPair const& pair, std::vector<FixedSum*> const& partial,
                   FeatureBlock block, SplitCandidate* best);
  void ScanBlock(BinSplitFinder const& finder, HistNode const& node, FeatureBlock block, SplitCandidate* best);

  BinMatrix const* bins_;
  HistogramAdder adder_;
  CellCounts counts_;
  HistogramPool pool_;
  double entries_per_row_;
  std::vector<FeatureBlock> blocks_;
  std::int64_t cells_per_block_ = 0;
  FeatureBlock in_blocks_;  ///< features that blocks_ divides
  bool may_share_;
  bool searches_nodes_ = true;  ///< set by BeginTree
  /// [n_ranks + 1]: first column of each rank; empty while all ranks search all columns
  std::vector<std::uint32_t> shares_;
  std::vector<ScanScratch> scratch_;      ///< by thread
  std::vector<FewRowsScratch> few_rows_;  ///< by thread
  std::vector<Search> searches_;          ///< by node, then by feature
  HistPortions portions_;
  std::vector<std::vector<FixedSum*>> partial_;  ///< by pair: histograms of the portions after the first
  std::vector<std::int64_t> of_ranks_;           ///< scratch of SumOverRanks
  std::vector<SplitCandidate> found_;  ///< [n_pairs, n_blocks, 2]: best split of the small and of the large child
};

}  // namespace kauri
