/// \file Histograms and best splits of the children of several nodes at once.
///
/// For each pair of children only the histogram of the one with fewer rows is added up; the other's is the parent's
/// less that one, exactly, because the sums are integers. Three steps:
/// 1. the rows of the smaller children, laid end to end, are cut into portions; each portion adds its rows to
/// histograms of
///    its own, and only the first portion of a node to the node's; where that leaves threads without work, the columns
///    are cut into bands too;
/// 2. per pair and block of features, the portions' histograms are added up and the sibling's is derived;
/// 3. while those cells are in the cache, the features of the block are scanned.
/// How many portions, bands and blocks there are depends on the threads; the sums do not, being sums of integers, nor
/// does the choice among splits, of which the better and among equals the one of the lower feature stays. Children that
/// together hold few rows are searched without histograms (few_rows.h), and so are theirs. Of symmetric trees, whose
/// splits are those of levels (level_search.h), the histograms alone are made, all of them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kauri/context.h"
#include "kauri/tree_builder.h"
#include "tree/growth/hist_growth.h"
#include "tree/hist/few_rows.h"
#include "tree/histogram/bin_split.h"
#include "tree/histogram/cell_counts.h"
#include "tree/histogram/histogram_adder.h"
#include "tree/histogram/rank_histograms.h"
#include "tree/histogram/sum_pool.h"
#include "tree/rows/row_lists.h"

namespace kauri {

using HistNode = GrowingNode<ScalarGrowth>;
using HistPair = GrowingPair<ScalarGrowth>;

/// Histograms to be added up: portions of rows, of which each adds to as many bands of columns as there are, at a time.
struct HistPortions {
  /// Rows of one small child and the histogram that they go to.
  struct Piece {
    RowSlice slice;
    FixedSum* histogram = nullptr;
  };
  struct Portion {
    std::size_t first_piece = 0;
    std::size_t last_piece = 0;
  };

  std::int64_t NumTasks() const { return static_cast<std::int64_t>(portions.size() * bands.size()); }
  /// A task is one portion in one band.
  HistogramAdder::Band const& BandOf(std::int64_t task) const {
    return bands[task % static_cast<std::int64_t>(bands.size())];
  }
  Span<Piece const> PiecesOf(std::int64_t task) const {
    auto const& portion = portions[task / static_cast<std::int64_t>(bands.size())];
    return {pieces.data() + portion.first_piece, portion.last_piece - portion.first_piece};
  }

  Context team;  ///< the threads that the work is for
  std::vector<Piece> pieces;
  std::vector<Portion> portions;
  std::vector<HistogramAdder::Band> bands;
};

/// What stays the same from tree to tree for one data set, and scratch.
class HistWorkspace {
 public:
  explicit HistWorkspace(BinMatrix const& bins);

  BinMatrix const& Bins() const { return *bins_; }
  HistogramPool* Pool() { return &pool_; }

  HistogramAdder const& Adder() const { return adder_; }

  /// Takes back all histograms. searches_nodes: whether the splits of this tree are looked for here. counts_rows:
  /// whether its histograms have the counts of cell_counts.h, as min_data_in_leaf asks.
  void BeginTree(bool searches_nodes, bool counts_rows);

  /// Sets `best` of the nodes in the pairs that hold few rows; returns the other pairs. In a group those are all: how
  /// many rows the other ranks have is not known. So they are where rows are counted by cell.
  std::vector<HistPair> SearchFewRows(Context const& ctx, TreeTask const& task, GainParam const& gain,
                                      RowLists const& rows, Span<HistPair const> pairs);
  /// The categories that go right at the best split of a node that SearchFewRows has searched.
  std::vector<std::int32_t> RightCategoriesOf(BinSplitFinder const& finder, FewRows const& rows,
                                              SplitCandidate const& best) {
    return RightCategoriesOfFewRows(finder, *bins_, rows, best, &few_rows_[0]);
  }
  /// Lends the small children their histograms, and cuts the work of adding them up.
  HistPortions const& PlanPortions(Context const& ctx, RowLists const& rows, Span<HistPair const> pairs);
  bool CountsRows() const { return counts_.IsOn(); }
  /// Makes the counts of the piece in the band's cells of `features`.
  void CountPiece(HistPortions::Piece const& piece, Span<std::uint32_t const> features,
                  HistogramAdder::Band const& band) const;
  /// Makes the small children's histograms, of the features that the tree may use, those of all ranks' rows; once a
  /// level is large, and from then on to the end of the tree, those of this rank's share of the columns alone. Before
  /// FinishSplits.
  void SumOverRanks(Context const& ctx, Span<std::uint32_t const> features, Span<HistPair const> pairs);
  /// Sets `best` of the nodes in `pairs`, and the histograms of large children, once those of all portions are added
  /// up. Where ranks have shares, each searches its own, and they agree on the best.
  void FinishSplits(Context const& ctx, GainParam const& gain, Span<HistPair const> pairs);

 private:
  /// Consecutive features.
  struct FeatureBlock {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    bool operator==(FeatureBlock const& other) const { return first == other.first && last == other.last; }
  };

  /// Cuts the features of this rank into blocks of so many cells, one feature at least.
  void MakeBlocks(std::int64_t cells_per_block, FeatureBlock mine);
  /// The features that this rank searches.
  FeatureBlock Mine(Context const& ctx) const;
  void MergePartial(Context const& ctx, Span<HistPair const> pairs);
  /// Tells the nodes how many rows they have.
  void CountRows(Span<HistPair const> pairs) const;
  /// What a rank needs of the counts where it needs these sums.
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
  FeatureBlock in_blocks_;  ///< that the blocks are of
  bool may_share_;
  bool searches_nodes_ = true;            ///< as BeginTree says
  std::vector<std::uint32_t> shares_;     ///< [n_ranks + 1]: columns, once ranks have shares of them; else empty
  std::vector<ScanScratch> scratch_;      ///< by thread
  std::vector<FewRowsScratch> few_rows_;  ///< by thread
  HistPortions portions_;
  std::vector<std::vector<FixedSum*>> partial_;  ///< by pair: the other portions' histograms
  std::vector<std::int64_t> of_ranks_;           ///< scratch of SumOverRanks
  std::vector<SplitCandidate> found_;            ///< [n_pairs, n_blocks, 2]: of the small and of the large child
};

}  // namespace kauri
