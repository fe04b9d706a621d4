/// \file Histograms and best splits of the children of several nodes at once.
///
/// For each pair of children only the histogram of the one with fewer rows is added up; the other's is the parent's
/// less that one, exactly, because the sums are integers. Three steps:
/// 1. the rows of the smaller children, laid end to end, are cut into chunks; each chunk adds its rows to histograms of
///    its own, and only the first chunk of a node to the node's; where that leaves threads without work, the columns
///    are cut into parts too;
/// 2. per pair and block of features, the chunks' histograms are added up and the sibling's is derived;
/// 3. while those cells are in the cache, the features of the block are scanned.
/// How many chunks, parts and blocks there are depends on the threads; the sums do not, being sums of integers, nor
/// does the choice among splits, of which the better and among equals the one of the lower feature stays. Children that
/// together hold few rows are searched without histograms (few_rows.h), and so are theirs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kauri/context.h"
#include "kauri/tree_builder.h"
#include "tree/growth/hist_growth.h"
#include "tree/hist/few_rows.h"
#include "tree/histogram/bin_split.h"
#include "tree/histogram/histogram_adder.h"
#include "tree/histogram/sum_pool.h"
#include "tree/rows/row_lists.h"

namespace kauri {

using HistNode = GrowingNode<ScalarGrowth>;
using HistPair = GrowingPair<ScalarGrowth>;

/// Histograms to be added up: chunks of rows, of which each adds to as many parts of columns as there are, at a time.
struct HistChunks {
  /// Rows of one small child and the histogram that they go to.
  struct Piece {
    RowSlice slice;
    FixedSum* histogram = nullptr;
  };
  struct Chunk {
    std::size_t first_piece = 0;
    std::size_t last_piece = 0;
  };

  std::int64_t NumTasks() const { return static_cast<std::int64_t>(chunks.size() * parts.size()); }
  /// A task is one chunk in one part.
  HistogramAdder::Part const& PartOf(std::int64_t task) const {
    return parts[task % static_cast<std::int64_t>(parts.size())];
  }
  Span<Piece const> PiecesOf(std::int64_t task) const {
    auto const& chunk = chunks[task / static_cast<std::int64_t>(parts.size())];
    return {pieces.data() + chunk.first_piece, chunk.last_piece - chunk.first_piece};
  }

  Context team;  ///< the threads that the work is for
  std::vector<Piece> pieces;
  std::vector<Chunk> chunks;
  std::vector<HistogramAdder::Part> parts;
};

/// What stays the same from tree to tree for one data set, and scratch.
class HistWorkspace {
 public:
  explicit HistWorkspace(BinMatrix const& bins);

  BinMatrix const& Bins() const { return *bins_; }
  HistogramPool* Pool() { return &pool_; }

  HistogramAdder const& Adder() const { return adder_; }

  /// Sets `best` of the nodes in the pairs that hold few rows; returns the other pairs.
  std::vector<HistPair> SearchFewRows(Context const& ctx, TreeTask const& task, GainParam const& gain,
                                      RowLists const& rows, Span<HistPair const> pairs);
  /// Lends the small children their histograms, and cuts the work of adding them up.
  HistChunks const& PlanChunks(Context const& ctx, RowLists const& rows, Span<HistPair const> pairs);
  /// Sets `best` of the nodes in `pairs`, and the histograms of large children, once those of all chunks are added up.
  void FinishSplits(Context const& ctx, GainParam const& gain, Span<HistPair const> pairs);

 private:
  /// Consecutive features.
  struct FeatureBlock {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };

  /// Cuts the features into blocks of so many cells, one feature at least.
  void MakeBlocks(std::int64_t cells_per_block);
  void FinishBlock(BinSplitFinder const& finder, HistPair const& pair, std::vector<FixedSum*> const& partial,
                   FeatureBlock block, SplitCandidate* best);
  void ScanBlock(BinSplitFinder const& finder, HistNode const& node, FeatureBlock block, SplitCandidate* best);

  BinMatrix const* bins_;
  HistogramAdder adder_;
  HistogramPool pool_;
  double entries_per_row_;
  std::vector<FeatureBlock> blocks_;
  std::int64_t cells_per_block_ = 0;
  std::vector<ScanScratch> scratch_;      ///< by thread
  std::vector<FewRowsScratch> few_rows_;  ///< by thread
  HistChunks chunks_;
  std::vector<std::vector<FixedSum*>> partial_;  ///< by pair: the other chunks' histograms
  std::vector<SplitCandidate> found_;            ///< [n_pairs, n_blocks, 2]: of the small and of the large child
};

}  // namespace kauri
