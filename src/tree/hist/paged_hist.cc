#include "tree/hist/paged_hist.h"

#include <algorithm>
#include <cstring>
#include <system_error>
#include <utility>

#include "collective/reduce.h"
#include "common/platform/process.h"
#include "common/threads/parallel_for.h"
#include "common/threads/threads.h"
#include "tree/growth/tree_common.h"

namespace kauri {
namespace {

constexpr std::int64_t kMinPartRows = 1 << 11;
constexpr std::int64_t kLargestPage = std::int64_t{16} << 20U;
constexpr std::int64_t kSmallestPage = std::int64_t{64} << 10U;
constexpr std::int64_t kPages = 2;
// Scratch is at most this times the bytes of a page: its rows, twice, while they are split.
constexpr std::int64_t kScratchShare = 1;

/// Returns the bytes that an engine keeps: per row and output the margins, their copy for metrics and the gradients;
/// per row the pair and leaf of the current output, and what a metric sorts.
std::int64_t EngineBytes(std::int64_t n_rows, std::int64_t n_outputs) {
  constexpr std::int64_t kPerOutput = 4 + 4 + 8;
  constexpr std::int64_t kPerRow = 8 + 4 + 16;
  return n_rows * (n_outputs * kPerOutput + kPerRow);
}

std::int64_t ListBytes(std::int64_t n_rows, bool samples_rows) { return n_rows * (samples_rows ? 4 + 4 + 1 : 4); }

std::int64_t CutBytes(BinMatrix const& layout) {
  return static_cast<std::int64_t>(layout.Cuts().values.size() * sizeof(float));
}

/// Plans for the rows of this rank alone.
PagePlan PlanOfRank(Context const& ctx, BinStore const& store, TrainingSize const& size) {
  auto const& layout = store.Layout();
  auto const& budget = size.budget;
  auto const n_rows = store.NumRows();
  PagePlan plan;
  plan.max_parts = ctx.threads;
  std::int64_t largest = 0;
  if (!budget.IsLimited()) {
    plan.starts = store.PlanPages(kLargestPage, &largest);
    plan.max_histograms = budget.bytes / 2;
    return plan;
  }
  auto const histogram = static_cast<std::int64_t>(layout.NumCells() * sizeof(FixedSum));
  auto const in_parts = (plan.max_parts - 1) * histogram;
  auto const fixed = EngineBytes(n_rows, size.n_outputs) + ListBytes(n_rows, size.samples_rows) + size.info_bytes +
                     (kPages + 1) * CutBytes(layout) + budget.bytes / 16;
  auto const smallest = fixed + in_parts + histogram + (kPages + kScratchShare) * kSmallestPage;
  budget.Require(smallest, "training on these rows in external memory");
  auto const rest = budget.bytes - fixed - in_parts;
  auto const for_page = std::clamp(rest / 8, kSmallestPage, kLargestPage);
  auto const affordable = (rest - histogram) / (kPages + kScratchShare);
  plan.starts = store.PlanPages(std::min(for_page, affordable), &largest);
  auto const pages = (kPages + kScratchShare) * largest;
  budget.Require(fixed + in_parts + histogram + pages, "training on these rows in external memory");
  plan.max_histograms = (rest - pages) / histogram;
  return plan;
}

}  // namespace

PagePlan PlanPages(Context const& ctx, BinStore const& store, TrainingSize const& size) {
  auto plan = PlanOfRank(ctx, store, size);
  // Ranks add the same histograms up at the same time, so the rank with the least room decides.
  auto const complement = ~static_cast<std::uint64_t>(plan.max_histograms);
  plan.max_histograms = static_cast<std::int64_t>(~MaxOverRanks(ctx, complement));
  return plan;
}

PagedHist::PagedHist(std::shared_ptr<BinStore const> const& store, PagePlan plan)
    : store_(store), plan_(std::move(plan)), reader_(store, plan_.starts), workspace_(store_->Layout()) {}

void PagedHist::Reset(Span<std::uint8_t const> sampled) {
  auto const n_pages = static_cast<std::size_t>(reader_.NumPages());
  workspace_.BeginTree(true, false);
  splits_.clear();
  right_categories_.clear();
  rows_.resize(n_pages);
  other_rows_.resize(sampled.empty() ? 0 : n_pages);
  for (std::size_t page = 0; page < n_pages; ++page) {
    auto const n_rows = reader_.NumRows(static_cast<std::int64_t>(page));
    if (sampled.empty()) {
      rows_[page].Reset(n_rows);
      continue;
    }
    auto const first = static_cast<std::size_t>(reader_.FirstRow(static_cast<std::int64_t>(page)));
    auto const marks = sampled.subspan(first, n_rows);
    rows_[page].Reset(marks, 1);
    other_rows_[page].Reset(marks, 0);
  }
}

void PagedHist::Split(Context const& /*ctx*/, Span<CodeSplit const> splits, Span<std::int32_t> leaf_of_row) {
  splits_.assign(splits.begin(), splits.end());
  leaf_of_row_ = leaf_of_row;
}

void PagedHist::FindSplits(Context const& ctx, TreeTask const& task, GainParam const& gain,
                           Span<std::uint32_t const> features, Span<HistPair const> pairs) {
  auto* const pool = workspace_.Pool();
  auto const cells = store_->Layout().NumCells();
  std::size_t first = 0;
  do {
    auto const n_lent = static_cast<std::int64_t>(pool->NumLent());
    auto const room = static_cast<std::size_t>(std::max<std::int64_t>(1, plan_.max_histograms - n_lent));
    Span<HistPair const> const group(pairs.data() + first, std::min(room, pairs.size() - first));
    for (auto const& pair : group) {
      pair.small->histogram = pool->Borrow();
      std::memset(static_cast<void*>(pair.small->histogram), 0, cells * sizeof(FixedSum));
    }
    Pass(ctx, task, features, group);
    if (IsDistributed(ctx) && !group.empty()) workspace_.SumOverRanks(ctx, features, group);
    workspace_.FinishSplits(ctx, gain, group);
    DropUnneeded(gain, group);
    first += group.size();
  } while (first < pairs.size());
}

void PagedHist::DropUnneeded(GainParam const& gain, Span<HistPair const> pairs) {
  auto* const pool = workspace_.Pool();
  auto const keep_most = plan_.max_histograms / 2;  // the rest is reserved for the children
  auto const drop = [&](HistNode* node) {
    if (node == nullptr || node->histogram == nullptr) return;
    if (static_cast<std::int64_t>(pool->NumLent()) <= keep_most && ReducesLoss(node->best)) return;
    if (node->best.IsValid() && Layout().Cuts().IsCategorical(node->best.feature)) {
      right_categories_[node->id] = RightCategories(gain, *node);
    }
    pool->GiveBack(std::exchange(node->histogram, nullptr));
  };
  for (auto const& pair : pairs) {
    drop(pair.small);
    drop(pair.large);
  }
}

std::vector<std::int32_t> PagedHist::RightCategories(GainParam const& gain, HistNode const& node) const {
  if (node.histogram == nullptr) return right_categories_.at(node.id);
  auto const* cells = node.histogram + Layout().FeatureBegin()[node.best.feature];
  return BinSplitFinder(gain, Layout().Cuts()).RightCategories(node.best, cells, node.total.categories);
}

void PagedHist::Pass(Context const& ctx, TreeTask const& task, Span<std::uint32_t const> features,
                     Span<HistPair const> pairs) {
  if (splits_.empty() && pairs.empty()) return;
  for (std::int64_t number = 0; number < reader_.NumPages(); ++number) {
    auto const& page = reader_.Get(number);
    if (!splits_.empty()) Route(ctx, page);
    if (!pairs.empty()) AddPage(ctx, task, features, page, pairs);
  }
  splits_.clear();
}

void PagedHist::Route(Context const& ctx, Page const& page) {
  auto const leaves = leaf_of_row_.subspan(reader_.FirstRow(page.number), page.bins.NumRows());
  auto const split = [&](RowLists* rows) {
    rows->TakeScratch(&scratch_);
    rows->Split(ctx, page.bins, splits_, leaves);
    scratch_.TakeScratch(rows);
  };
  split(&rows_[page.number]);
  if (!other_rows_.empty()) split(&other_rows_[page.number]);
}

std::int64_t PagedHist::PlanPieces(Context const& ctx, RowLists const& rows, Span<HistPair const> pairs) {
  pieces_.clear();
  std::int64_t n_rows = 0;
  for (auto const& pair : pairs) n_rows += rows.NumRows(pair.small->id);
  auto const n_parts = std::min<std::int64_t>(ctx.threads, plan_.max_parts);
  auto const part_rows = std::max(NumBlocks(n_rows, n_parts), kMinPartRows);
  std::int64_t part = 0;
  auto room = part_rows;
  for (auto const& pair : pairs) {
    auto const range = rows.RangeOf(pair.small->id);
    for (auto begin = range.begin; begin < range.end;) {
      if (room == 0) {
        room = part_rows;
        ++part;
      }
      auto const end = std::min(range.end, begin + room);
      Piece piece{{rows.Rows(), begin, end}, pair.small->histogram, nullptr, part};
      if (begin > range.begin) {  // another thread adds to the node's own histogram
        piece.target = piece.histogram;
        piece.histogram = workspace_.Pool()->Borrow();
      }
      pieces_.push_back(piece);
      room -= end - begin;
      begin = end;
    }
  }
  return part + 1;
}

void PagedHist::AddPage(Context const& ctx, TreeTask const& task, Span<std::uint32_t const> features, Page const& page,
                        Span<HistPair const> pairs) {
  auto const n_parts = PlanPieces(ctx, rows_[page.number], pairs);
  auto const gradients = task.gradients.pairs.subspan(reader_.FirstRow(page.number), page.bins.NumRows());
  ParallelFor(ctx, n_parts, [&](std::int64_t part) {
    for (auto const& piece : pieces_) {
      if (piece.part != part) continue;
      if (piece.target != nullptr) {
        std::memset(static_cast<void*>(piece.histogram), 0, store_->Layout().NumCells() * sizeof(FixedSum));
      }
      page.adder.Add(gradients, piece.slice, features, page.adder.All(), piece.histogram);
    }
  });
  MergePieces(ctx);
}

void PagedHist::MergePieces(Context const& ctx) {
  constexpr std::int64_t kCellsPerBlock = 1 << 12;
  for (auto const& piece : pieces_) {
    if (piece.target == nullptr) continue;
    ParallelForBlocks(ThreadsFor(ctx, store_->Layout().NumCells()), store_->Layout().NumCells(), kCellsPerBlock,
                      [&](std::int64_t begin, std::int64_t end, std::int64_t) {
                        for (auto cell = begin; cell < end; ++cell) piece.target[cell] += piece.histogram[cell];
                      });
    workspace_.Pool()->GiveBack(piece.histogram);
  }
}

void PagedHist::WriteLeaves(Context const& ctx, Span<std::int32_t> leaf_of_row) const {
  for (std::int64_t page = 0; page < reader_.NumPages(); ++page) {
    auto const at = static_cast<std::size_t>(page);
    auto const leaves = leaf_of_row.subspan(reader_.FirstRow(page), reader_.NumRows(page));
    rows_[at].WriteLeaves(ctx, leaves);
    if (!other_rows_.empty()) other_rows_[at].WriteLeaves(ctx, leaves);
  }
}

namespace {

constexpr std::size_t kBytesReadAhead = std::size_t{1} << 14U;  // reading less is faster than starting a thread

}  // namespace

PageReader::PageReader(std::shared_ptr<BinStore const> store, std::vector<std::int64_t> starts)
    : store_(std::move(store)), starts_(std::move(starts)) {
  present_ = std::make_unique<Page>(store_->Layout());
  if (NumPages() > 1) next_ = std::make_unique<Page>(store_->Layout());
}

void PageReader::Read(Page* page, std::int64_t number) const {
  page->number = -1;  // while it is incomplete
  store_->ReadPage(FirstRow(number), FirstRow(number + 1), &page->bins);
  page->number = number;
}

/// Starts reading a page. If no thread can be started, Get reads the page itself.
void PageReader::ReadAhead(std::int64_t number) {
  process_ = platform::ProcessId();
  try {
    reading_ = std::async(std::launch::async, [this, number, page = next_.get()] { Read(page, number); });
  } catch (std::system_error const&) {
    reading_ = {};
  }
}

/// Abandons the read after a fork: the child has no reading thread, so the next page is incomplete and waiting would
/// never end.
void PageReader::ForgetAfterFork() {
  if (!reading_.valid() || process_ == platform::ProcessId()) return;
  static_cast<void>(std::make_unique<std::future<void>>(std::move(reading_)).release());  // its destructor would wait
  next_->number = -1;
}

Page const& PageReader::Get(std::int64_t number) {
  ForgetAfterFork();
  if (reading_.valid()) reading_.get();
  if (present_->number != number) {
    if (next_ != nullptr && next_->number == number) {
      std::swap(present_, next_);
    } else {
      Read(present_.get(), number);
    }
  }
  auto const after = (number + 1) % NumPages();
  auto const is_worth_a_thread = present_->bins.MutableCodes().size() >= kBytesReadAhead;
  if (next_ != nullptr && next_->number != after && is_worth_a_thread) {
    ReadAhead(after);
  }
  return *present_;
}

}  // namespace kauri
