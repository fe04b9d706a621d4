/// \file Computes histograms of rows that are stored in a file, page by page, in memory of a fixed size.
///
/// Vocabulary. A pass reads all pages once. Per level of a tree, or per split of lossguide:
/// 1. The first pass sends the rows of each page to the children of their nodes, and adds the rows of the smaller
///    children to histograms. The sums are of integers, so neither the order nor the size of pages matters.
/// 2. The sibling's histogram is the parent's minus that one if the parent's was kept. Otherwise it is added up as
///    well.
/// 3. If memory has no room for all histograms of a level, further passes process the remaining nodes.
/// Process ranks have files of their own. They agree on the room, and add each pass's histograms up.
/// Memory per row: 4 bytes (its entry in its node's list), 8 if rows are sampled.
#pragma once

#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <vector>

#include "data/bins/bin_store.h"
#include "tree/growth/host_growth.h"
#include "tree/hist/hist_workspace.h"
#include "tree/histogram/histogram_adder.h"

namespace kauri {

// Reads the pages of a file of bins in order. The next page is read while the current one is used.

/// A page in memory.
struct Page {
  explicit Page(BinMatrix const& layout) : bins(MakePage(layout, 0)), adder(bins) {}

  std::int64_t number = -1;  ///< number of the page that it holds or is about to hold; -1 if none
  BinMatrix bins;            ///< row numbers start at the first row of the page
  HistogramAdder adder;
};

/// Pages are read cyclically: 0, 1, .. n - 1, 0, 1, .. Two pages are in memory; if there is only one page, it is read
/// once.
class PageReader {
 public:
  /// starts: [n_pages + 1], first row of each page.
  PageReader(std::shared_ptr<BinStore const> store, std::vector<std::int64_t> starts);
  ~PageReader() { ForgetAfterFork(); }
  PageReader(PageReader const&) = delete;
  PageReader& operator=(PageReader const&) = delete;

  std::int64_t NumPages() const { return static_cast<std::int64_t>(starts_.size()) - 1; }
  std::int64_t FirstRow(std::int64_t page) const { return starts_[page]; }
  std::int64_t NumRows(std::int64_t page) const { return FirstRow(page + 1) - FirstRow(page); }

  /// Returns a page, valid until the next call. Cheap for the successor of the last page returned. \throws Error(kIo).
  Page const& Get(std::int64_t number);

 private:
  void Read(Page* page, std::int64_t number) const;
  void ReadAhead(std::int64_t number);
  void ForgetAfterFork();

  std::shared_ptr<BinStore const> store_;
  std::vector<std::int64_t> starts_;
  std::unique_ptr<Page> present_;
  std::unique_ptr<Page> next_;
  std::future<void> reading_;  ///< fills next_; declared after the pages, so that it ends before they are destroyed
  int process_ = 0;            ///< the process in which `reading_` runs
};

/// Use of a memory budget.
struct PagePlan {
  std::vector<std::int64_t> starts;  ///< [n_pages + 1]: first rows of the pages
  std::int64_t max_histograms = 0;   ///< at once, in addition to the histograms of `max_parts`
  std::int64_t max_parts = 1;        ///< parts of a page that are added up concurrently
};

/// The budget of training, and the data that it keeps besides pages and histograms.
struct TrainingSize {
  MemoryBudget budget;
  std::int64_t n_outputs = 1;
  std::int64_t info_bytes = 0;  ///< bytes of labels, weights and the like
  bool samples_rows = false;
};

/// Plans pages and histograms; all ranks plan at once, for the same number of histograms. \throws Error(kMemory) if the
/// budget has no room for one histogram and two pages.
PagePlan PlanPages(Context const& ctx, BinStore const& store, TrainingSize const& size);

/// State that a builder keeps per data set: the rows of a growth, and their histograms.
class PagedHist {
 public:
  /// Row counts are not known before the pass.
  static constexpr bool kCountsRows = false;

  PagedHist(std::shared_ptr<BinStore const> const& store, PagePlan plan);

  BinMatrix const& Layout() const { return store_->Layout(); }
  QuantileCuts const& Cuts() const { return Layout().Cuts(); }
  HistogramPool* Pool() { return workspace_.Pool(); }
  /// Begins a new tree: all rows are in its root. sampled: [n_rows], 0 or 1; empty if all rows are sampled.
  void Reset(Span<std::uint8_t const> sampled);
  /// Records splits. The next FindSplits sends the rows of the nodes to their children.
  void Split(Context const& ctx, Span<CodeSplit const> splits, Span<std::int32_t> leaf_of_row);
  /// Sets `best` of the nodes in `pairs`, and `histogram` where children need it. `features` (ascending) includes the
  /// features of every node. A histogram that memory cannot keep is given back.
  void FindSplits(Context const& ctx, TreeTask const& task, GainParam const& gain, Span<std::uint32_t const> features,
                  Span<HistPair const> pairs);
  void WriteLeaves(Context const& ctx, Span<std::int32_t> leaf_of_row) const;
  /// Returns the categories that go right at the best split of a node, which is categorical, even if its histogram was
  /// given back.
  std::vector<std::int32_t> RightCategories(GainParam const& gain, HistNode const& node) const;

 private:
  /// Rows of one node in a page and the histogram that they are added to.
  struct Piece {
    RowSlice slice;
    FixedSum* histogram = nullptr;
    /// Histogram that `histogram` is added to afterwards; nullptr if the piece adds to its target directly.
    FixedSum* target = nullptr;
    std::int64_t part = 0;  ///< pieces of one part are added up sequentially
  };

  void Pass(Context const& ctx, TreeTask const& task, Span<std::uint32_t const> features, Span<HistPair const> pairs);
  void Route(Context const& ctx, Page const& page);
  void AddPage(Context const& ctx, TreeTask const& task, Span<std::uint32_t const> features, Page const& page,
               Span<HistPair const> pairs);
  /// Plans the pieces of a page and returns the number of parts.
  std::int64_t PlanPieces(Context const& ctx, RowLists const& rows, Span<HistPair const> pairs);
  void MergePieces(Context const& ctx);
  void DropUnneeded(GainParam const& gain, Span<HistPair const> pairs);

  std::shared_ptr<BinStore const> store_;
  PagePlan plan_;
  PageReader reader_;
  HistWorkspace workspace_;
  std::vector<RowLists> rows_;        ///< by page
  std::vector<RowLists> other_rows_;  ///< by page: rows that were not sampled; empty if all are sampled
  RowLists scratch_;                  ///< holds the scratch memory that all lists use in turn
  std::vector<CodeSplit> splits_;     ///< splits that the rows have not followed yet
  Span<std::int32_t> leaf_of_row_;
  std::vector<Piece> pieces_;
  std::map<std::int32_t, std::vector<std::int32_t>> right_categories_;  ///< by node
};

/// Grows one tree with a scalar in each leaf from rows in a file.
class PagedGrower : public HostGrowth<ScalarGrowth, PagedHist> {
 public:
  PagedGrower(Context const& ctx, GrowthRules const& rules, TreeTask const& task, PagedHist* pages,
              Span<std::int32_t> leaf_of_row)
      : HostGrowth(ctx, rules, task, pages, leaf_of_row) {}

 private:
  std::vector<std::int32_t> RightCategories(HistNode const& node) const override {
    return rows_->RightCategories(gain_, node);
  }
  void FindSplits(Pairs const& pairs) override { rows_->FindSplits(ctx_, task_, gain_, columns_.TreeSet(), pairs); }
  void GiveBack(FixedSum* histogram) override { rows_->Pool()->GiveBack(histogram); }
};

}  // namespace kauri
