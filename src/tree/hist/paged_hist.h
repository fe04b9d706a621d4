/// \file Histograms of rows that lie in a file, page by page, in memory of a fixed size.
///
/// Vocabulary. A pass reads all pages once. Per level of a tree, or per split of lossguide:
/// 1. In the first pass the rows of each page go to the children of their nodes, and those of the smaller children are
///    added to histograms. The sums are of integers, so neither the order nor the size of pages matters.
/// 2. The sibling's histogram is the parent's less that one, where the parent's was kept; else it is added up as well.
/// 3. Where memory has no room for all histograms of a level, further passes do the rest of the nodes.
/// What is kept per row: 4 bytes (its place in its node's list), 8 where rows are sampled.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "tree/growth/hist_growth.h"
#include "tree/hist/hist_workspace.h"
#include "tree/hist/page_reader.h"

namespace kauri {

/// How a memory budget is spent.
struct PagePlan {
  std::vector<std::int64_t> starts;  ///< [n_pages + 1]: first rows of the pages
  std::int64_t max_histograms = 0;   ///< at once, besides those of `max_parts`
  std::int64_t max_parts = 1;        ///< parts of a page that are added up side by side
};

/// What training may keep, and what it keeps besides pages and histograms.
struct TrainingSize {
  MemoryBudget budget;
  std::int64_t n_outputs = 1;
  std::int64_t info_bytes = 0;  ///< of labels, weights and the like
  bool samples_rows = false;
};

/// \throws Error(kMemory) when the budget has no room for one histogram and two pages.
PagePlan PlanPages(Context const& ctx, BinStore const& store, TrainingSize const& size);

/// What a builder keeps per data set.
class PagedHist {
 public:
  PagedHist(std::shared_ptr<BinStore const> const& store, PagePlan plan);

  BinMatrix const& Layout() const { return store_->Layout(); }
  HistogramPool* Pool() { return workspace_.Pool(); }
  /// A new tree: all rows are in its root.
  void Reset(TreeTask const& task);
  /// Sends the rows of nodes to their children with the next FindSplits.
  void Split(Span<CodeSplit const> splits, Span<std::int32_t> leaf_of_row);
  /// Sets `best` of the nodes in `pairs`, and `histogram` of those that need one for their children. `features`
  /// (ascending) holds those of every node. A histogram that there is no memory to keep is given back.
  void FindSplits(Context const& ctx, TreeTask const& task, GainParam const& gain, Span<std::uint32_t const> features,
                  Span<HistPair const> pairs);
  void WriteLeaves(Context const& ctx, Span<std::int32_t> leaf_of_row) const;
  /// The categories that go right at the best split of a node, which is at a categorical feature, whether or not its
  /// histogram was given back.
  std::vector<std::int32_t> RightCategories(GainParam const& gain, HistNode const& node) const;

 private:
  /// Rows of one node in a page and the histogram that they go to.
  struct Piece {
    RowSlice slice;
    FixedSum* histogram = nullptr;
    FixedSum* target = nullptr;  ///< what `histogram` is added to; nullptr when it is the target itself
    std::int64_t part = 0;       ///< pieces of one part are added up one after the other
  };

  void Pass(Context const& ctx, TreeTask const& task, Span<std::uint32_t const> features, Span<HistPair const> pairs);
  void Route(Context const& ctx, Page const& page);
  void AddPage(Context const& ctx, TreeTask const& task, Span<std::uint32_t const> features, Page const& page,
               Span<HistPair const> pairs);
  /// Returns the number of parts.
  std::int64_t PlanPieces(Context const& ctx, RowLists const& rows, Span<HistPair const> pairs);
  void MergePieces(Context const& ctx);
  void DropUnneeded(GainParam const& gain, Span<HistPair const> pairs);

  std::shared_ptr<BinStore const> store_;
  PagePlan plan_;
  PageReader reader_;
  HistWorkspace workspace_;
  std::vector<RowLists> rows_;        ///< by page
  std::vector<RowLists> other_rows_;  ///< by page: those that were not sampled; empty where all are
  RowLists scratch_;                  ///< holds the scratch memory that all lists use in turn
  std::vector<CodeSplit> splits_;     ///< that the rows have not followed yet
  Span<std::int32_t> leaf_of_row_;
  std::vector<Piece> pieces_;
  std::map<std::int32_t, std::vector<std::int32_t>> right_categories_;  ///< by node
};

class PagedGrower : public HistGrowth<ScalarGrowth> {
 public:
  PagedGrower(Context const& ctx, GrowthRules const& rules, TreeTask const& task, PagedHist* pages,
              Span<std::int32_t> leaf_of_row);

 private:
  NodeTotal MakeRoot() override { return SetRoot(task_); }
  void ResetRows() override { pages_->Reset(task_); }
  void SplitRows(std::vector<CodeSplit> const& splits) override { pages_->Split(splits, leaf_of_row_); }
  void WriteLeaves() override {
    pages_->WriteLeaves(ctx_, leaf_of_row_);
    Smooth(task_.sampled_rows, leaf_of_row_);
  }
  /// By hessians: how many rows each has is not known before the pass.
  bool HasFewerRows(HistNode const& left, HistNode const& right) const override {
    return WeighsLess(left.total, right.total);
  }
  std::vector<std::int32_t> RightCategories(HistNode const& node) const override {
    return pages_->RightCategories(gain_, node);
  }
  void FindSplits(Pairs const& pairs) override { pages_->FindSplits(ctx_, task_, gain_, columns_.TreeSet(), pairs); }
  void GiveBack(FixedSum* histogram) override { pages_->Pool()->GiveBack(histogram); }

  TreeTask const& task_;
  PagedHist* pages_;
  Span<std::int32_t> leaf_of_row_;
};

}  // namespace kauri
