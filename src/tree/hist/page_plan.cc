/// Plans how training spends the memory budget of a matrix in a file.
#include <algorithm>

#include "tree/hist/paged_hist.h"

namespace kauri {
namespace {

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

}  // namespace

PagePlan PlanPages(Context const& ctx, BinStore const& store, TrainingSize const& size) {
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

}  // namespace kauri
