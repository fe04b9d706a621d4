#include "tree/hist/hist_workspace.h"

#include <algorithm>

#include "common/threads/parallel_for.h"
#include "common/threads/threads.h"
#include "kauri/collective.h"
#include "tree/growth/host_growth.h"

namespace kauri {
namespace {

constexpr std::int64_t kMinPortionRows = 1 << 11;
constexpr std::int64_t kLeastPortionRows = 1 << 9;  // if threads would otherwise be idle
constexpr std::int64_t kPortionsPerThread = 4;
constexpr std::int64_t kTasksPerThread = 2;
constexpr double kCellsPerEntry = 8.0;       // additions that pay for clearing and adding up one more cell
constexpr double kLeastCellsPerEntry = 2.0;  // the same if threads would otherwise be idle
constexpr std::int64_t kMinPieceRows = 1 << 8;
constexpr double kClearShare = 0.25;            // cost of clearing a cell, in additions
constexpr double kFinishShare = 4.0;            // cost of deriving and scanning a cell, in additions
constexpr double kPartialShare = 4.0;           // cost of adding up a cell in another core's cache, in additions
constexpr double kFewRowsShare = 4.0;           // cost of adding and reading a row without a histogram, in additions
constexpr std::int64_t kSearchesPerThread = 3;  // of nodes with few rows
constexpr double kMinSearchWork = 4096.0;       // in additions
constexpr std::int64_t kMinSearchFeatures = 8;  // of one node: each search reads its rows' numbers and pairs
constexpr std::int64_t kCellsPerBlock = 1 << 11;
constexpr double kMinBlockWork = 1024.0;  // in additions
// Cells per level, 1 MiB: from here on, sending fewer cells saves more than one more call costs.
constexpr std::uint64_t kSharedCells = 1 << 16;

struct PortionSizes {
  std::int64_t work_per_portion = 0;
  std::int64_t n_bands = 1;  ///< bands of columns
};

/// Plans work for all threads. One more portion of rows costs one more histogram to clear and add up. One more band of
/// columns only costs another pass over the row numbers and pairs. So the plan first uses as many portions as pay off,
/// then bands, and finally small portions.
PortionSizes PlanOf(std::int64_t threads, std::int64_t work, double cells_per_entry, std::int64_t max_bands) {
  if (threads <= 1) return {work, 1};
  auto const even = NumBlocks(work, kPortionsPerThread * threads);
  PortionSizes plan;
  plan.work_per_portion =
      std::max({even, kMinPortionRows, static_cast<std::int64_t>(kCellsPerEntry * cells_per_entry)});
  auto const n_portions = NumBlocks(work, plan.work_per_portion);
  plan.n_bands = std::min({max_bands, threads, NumBlocks(kTasksPerThread * threads, n_portions)});
  if (plan.n_bands * n_portions >= threads) return plan;
  auto const least = std::max(kLeastPortionRows, static_cast<std::int64_t>(kLeastCellsPerEntry * cells_per_entry));
  plan.work_per_portion = std::max(least, NumBlocks(work, NumBlocks(threads, plan.n_bands)));
  return plan;
}

/// Returns whether ranks may search columns that other ranks have no sums of. A categorical split requires the sums of
/// each category.
bool MayShare(BinMatrix const& bins) {
  for (std::int64_t feature = 0; feature < bins.NumCols(); ++feature) {
    if (bins.Cuts().IsCategorical(feature)) return false;
  }
  return true;
}

}  // namespace

HistWorkspace::HistWorkspace(BinMatrix const& bins)
    : bins_(&bins), adder_(bins), counts_(bins.NumCells()), pool_(counts_.HistogramSize()), may_share_(MayShare(bins)) {
  auto const n_rows = std::max<std::int64_t>(1, bins.NumRows());
  if (bins.HasBundles()) {
    entries_per_row_ = static_cast<double>(bins.Bundled().bundles.size());
  } else if (!bins.Sparse().IsEmpty()) {
    entries_per_row_ = static_cast<double>(bins.Sparse().cells.size()) / static_cast<double>(n_rows);
  } else {
    entries_per_row_ = bins.IsDense() ? static_cast<double>(bins.NumCols())
                                      : static_cast<double>(bins.Entries().cells.size()) / static_cast<double>(n_rows);
  }
}

void HistWorkspace::BeginTree(bool searches_nodes, bool counts_rows) {
  searches_nodes_ = searches_nodes;
  if (counts_rows != counts_.IsOn()) {
    counts_.Set(counts_rows, bins_->NumRows());
    pool_ = HistogramPool(counts_.HistogramSize());
  }
  pool_.GiveBackAll();
  shares_.clear();
  for (auto& scratch : few_rows_) scratch.drawn.has_failed = false;
}

HistWorkspace::FeatureBlock HistWorkspace::Mine(Context const& ctx) const {
  if (shares_.empty()) return {0, static_cast<std::uint32_t>(bins_->NumCols())};
  auto const rank = static_cast<std::size_t>(ctx.collective->Rank());
  return {shares_[rank], shares_[rank + 1]};
}

void HistWorkspace::MakeBlocks(std::int64_t cells_per_block, FeatureBlock mine) {
  if (cells_per_block == cells_per_block_ && mine == in_blocks_) return;
  cells_per_block_ = cells_per_block;
  in_blocks_ = mine;
  blocks_.clear();
  auto const& begin = bins_->FeatureBegin();
  for (auto first = mine.first; first < mine.last;) {
    auto last = first + 1;
    while (last < mine.last && begin[last + 1] - begin[first] <= cells_per_block) ++last;
    blocks_.push_back({first, last});
    first = last;
  }
}

HistPortions const& HistWorkspace::PlanPortions(Context const& ctx, RowLists const& rows, Span<HistPair const> pairs) {
  auto& [team, pieces, portions, bands] = portions_;
  pieces.clear();
  portions.clear();
  partial_.assign(pairs.size(), {});
  // Work is counted in rows: clearing a histogram costs as much as adding `rows_to_clear` rows.
  auto const cells_per_entry = static_cast<double>(bins_->NumCells()) / std::max(1.0, entries_per_row_);
  auto const rows_to_clear = static_cast<std::int64_t>(kClearShare * cells_per_entry) + 1;
  auto work = static_cast<std::int64_t>(pairs.size()) * rows_to_clear;
  for (auto const& pair : pairs) work += rows.NumRows(pair.small->id);
  team = ThreadsFor(ctx, static_cast<double>(work) * entries_per_row_);
  auto const plan = PlanOf(team.threads, work, cells_per_entry, adder_.MaxBands());
  bands = adder_.Bands(plan.n_bands);
  std::int64_t room = 0;  // work that fits in the last portion
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    auto const range = rows.RangeOf(pairs[i].small->id);
    auto begin = range.begin;
    do {
      if (room <= 0) {
        portions.push_back({pieces.size(), pieces.size()});
        room = plan.work_per_portion;
      }
      auto* const histogram = pool_.Borrow();
      if (begin == range.begin) {
        pairs[i].small->histogram = histogram;
      } else {
        partial_[i].push_back(histogram);
      }
      auto const end = std::min(range.end, begin + std::max(room, kMinPieceRows));
      pieces.push_back({{rows.Rows(), begin, end}, histogram});
      portions.back().last_piece = pieces.size();
      room -= end - begin + rows_to_clear;
      begin = end;
    } while (begin < range.end);
  }
  return portions_;
}

void HistWorkspace::CountPiece(HistPortions::Piece const& piece, Span<std::uint32_t const> features,
                               HistogramAdder::Band const& band) const {
  auto* const counts = counts_.Of(piece.histogram);
  std::fill(counts + band.first_cell, counts + band.last_cell, FixedSum{});
  adder_.Add(counts_.Pairs(), piece.slice, features, band, counts);
  auto const is_first = band.first_word == 0;
  if (is_first) *counts_.AllOf(piece.histogram) = {piece.slice.end - piece.slice.begin, 0};
}

void HistWorkspace::ScanBlock(BinSplitFinder const& finder, HistNode const& node, FeatureBlock block,
                              SplitCandidate* best) {
  auto* const scratch = &scratch_[ThreadIndex()];
  if (!searches_nodes_ || !node.IsOpen()) return;
  auto const end = node.features->end();
  auto const first = std::lower_bound(node.features->begin(), end, block.first);
  for (auto feature = first; feature != end && *feature < block.last; ++feature) {
    auto const* cells = node.histogram + bins_->FeatureBegin()[*feature];
    finder.Find(*feature, cells, node.total, scratch, best);
  }
}

void HistWorkspace::FinishBlock(BinSplitFinder const& finder, HistPair const& pair,
                                std::vector<FixedSum*> const& partial, FeatureBlock block, SplitCandidate* best) {
  auto const begin = bins_->FeatureBegin()[block.first];
  auto const end = bins_->FeatureBegin()[block.last];
  auto const& node = pair.small->total;
  for (auto const half : counts_.Halves()) {
    auto* const small = pair.small->histogram + half;
    for (auto const* other : partial) {
      for (auto cell = begin; cell < end; ++cell) small[cell] += other[half + cell];
    }
    bins_->FillMostFrequent(block.first, block.last, half == 0 ? node.sum : FixedSum{node.rows.of_node, 0}, small);
  }
  ScanBlock(finder, *pair.small, block, best);
  if (pair.large == nullptr) return;
  for (auto const half : counts_.Halves()) {
    auto const* small = pair.small->histogram + half;
    auto* const large = pair.large->histogram + half;
    for (auto cell = begin; cell < end; ++cell) large[cell] = large[cell] - small[cell];
  }
  ScanBlock(finder, *pair.large, block, best + 1);
}

std::vector<HistPair> HistWorkspace::SearchFewRows(Context const& ctx, TreeTask const& task, GainParam const& gain,
                                                   RowLists const& rows, Span<HistPair const> pairs) {
  if (IsDistributed(ctx) || !searches_nodes_ || counts_.IsOn()) return {pairs.begin(), pairs.end()};
  BinSplitFinder const finder(gain, bins_->Cuts());
  auto const draws = DrawsColumns(*bins_, finder, few_rows_, pairs);
  auto const by_node = draws && pairs.size() >= static_cast<std::size_t>(ctx.threads);  // no node has to wait then
  auto const level = DivideByRows(
      pairs, rows, [&](std::int64_t n_rows) { return AreFewRows(*bins_, n_rows, by_node); },
      [&](FixedSum* histogram) { pool_.GiveBack(histogram); });
  few_rows_.resize(std::max(few_rows_.size(), static_cast<std::size_t>(ctx.threads)));
  auto const team = ThreadsFor(ctx, kFewRowsShare * level.n_rows * entries_per_row_);
  PlanSearches(team, rows, level.few, draws);
  ParallelFor(team, static_cast<std::int64_t>(searches_.size()), [&](std::int64_t index) {
    auto& [node, features, best] = searches_[index];
    auto const range = rows.RangeOf(node->id);
    FewRows const few{task.gradients.pairs, {rows.Rows(), range.begin, range.end}, features, node->total, draws};
    FindSplitOfFewRows(finder, *bins_, few, &few_rows_[ThreadIndex()], &best);
  });
  for (auto const& [node, features, best] : searches_) {
    if (node->total.noise.IsBetter(best, node->best)) node->best = best;
  }
  return level.others;
}

void HistWorkspace::PlanSearches(Context const& team, RowLists const& rows, Span<HistNode* const> nodes, bool draws) {
  auto const work_of = [&](HistNode const& node) {
    return kFewRowsShare * static_cast<double>(rows.NumRows(node.id)) * static_cast<double>(node.features->size());
  };
  double work = 0.0;
  for (auto const* node : nodes) work += work_of(*node);
  auto const least = std::max(kMinSearchWork, work / static_cast<double>(kSearchesPerThread * team.threads));
  searches_.clear();
  for (auto* node : nodes) {
    auto const& features = *node->features;
    auto const n_features = static_cast<std::int64_t>(features.size());
    auto const wanted = team.threads <= 1 || draws ? 1 : static_cast<std::int64_t>(work_of(*node) / least);
    auto const n_blocks =
        std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(1, n_features / kMinSearchFeatures));
    for (std::int64_t block = 0; block < n_blocks; ++block) {
      auto const first = n_features * block / n_blocks;
      auto const last = n_features * (block + 1) / n_blocks;
      searches_.push_back({node, {features.data() + first, last - first}, {}});
    }
  }
}

void HistWorkspace::MergePartial(Context const& ctx, Span<HistPair const> pairs) {
  auto const n_cells = counts_.HistogramSize();
  partial_.resize(pairs.size());  // pages have none
  ParallelFor(ctx, static_cast<std::int64_t>(pairs.size()), [&](std::int64_t index) {
    auto* const small = pairs[index].small->histogram;
    for (auto const* other : partial_[index]) {
      for (std::size_t cell = 0; cell < n_cells; ++cell) small[cell] += other[cell];
    }
  });
  for (auto& of_pair : partial_) {
    for (auto* partial : of_pair) pool_.GiveBack(partial);
    of_pair.clear();
  }
}

void HistWorkspace::SumOverRanks(Context const& ctx, Span<std::uint32_t const> features, Span<HistPair const> pairs) {
  static_assert(sizeof(FixedSum) == 2 * sizeof(std::int64_t), "a cell is two integers");
  MergePartial(ctx, pairs);
  std::vector<std::int64_t*> histograms;
  for (auto const& pair : pairs) histograms.push_back(&pair.small->histogram->gradient);
  auto const& begin = bins_->FeatureBegin();
  if (shares_.empty() && may_share_ && searches_nodes_ && pairs.size() * bins_->NumCells() >= kSharedCells) {
    shares_ = ShareColumns(features, begin, ctx.collective->Size());
  }
  auto const all = std::vector<std::uint32_t>{0, static_cast<std::uint32_t>(bins_->NumCols())};
  auto const& columns = shares_.empty() ? all : shares_;
  std::vector<SumRanges> ranges;
  for (std::size_t share = 0; share + 1 < columns.size(); ++share) {
    ranges.push_back(NumbersOf(features, begin, 2, columns[share], columns[share + 1]));
    if (counts_.IsOn()) AddCounts(&ranges.back());
  }
  SumHistograms(ctx, ranges, histograms, &of_ranks_);
}

void HistWorkspace::AddCounts(SumRanges* ranges) const {
  auto const n_sums = ranges->size();
  auto const behind = 2 * counts_.NumCells();
  for (std::size_t i = 0; i < n_sums; ++i) {
    auto const sums = (*ranges)[i];
    ranges->push_back({sums.begin + behind, sums.end + behind});
  }
  ranges->push_back({2 * behind, 2 * behind + 2});
}

void HistWorkspace::CountRows(Span<HistPair const> pairs) const {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    auto* const small = counts_.AllOf(pairs[i].small->histogram);
    for (auto* other : partial_[i]) *small += *counts_.AllOf(other);
    if (pairs[i].large != nullptr) {
      auto* const large = counts_.AllOf(pairs[i].large->histogram);
      *large = *large - *small;
    }
    for (auto* node : {pairs[i].small, pairs[i].large}) {
      if (node == nullptr) continue;
      node->total.rows.of_node = counts_.AllOf(node->histogram)->gradient;
      node->total.counts_at = static_cast<std::int64_t>(counts_.NumCells());
    }
  }
}

void HistWorkspace::FinishSplits(Context const& ctx, GainParam const& gain, Span<HistPair const> pairs) {
  scratch_.resize(std::max(scratch_.size(), static_cast<std::size_t>(ctx.threads)));
  partial_.resize(pairs.size());
  auto const n_cells = static_cast<double>(pairs.size()) * bins_->NumCells();
  std::size_t n_partial = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) n_partial += partial_[i].size();
  auto const work = kFinishShare * n_cells + kPartialShare * static_cast<double>(n_partial) * bins_->NumCells();
  auto const team = ThreadsFor(ctx, work);
  // With few cells and many partial sums a block has only a few cells, so that all threads help at the first levels,
  // too.
  auto const least = std::min(kCellsPerBlock, static_cast<std::int64_t>(kMinBlockWork * n_cells / (work + 1.0)));
  auto const even = static_cast<std::int64_t>(n_cells) / (kTasksPerThread * team.threads);
  MakeBlocks(team.threads <= 1 ? kCellsPerBlock : std::clamp(even, least, kCellsPerBlock), Mine(ctx));
  auto const n_blocks = static_cast<std::int64_t>(blocks_.size());
  found_.assign(pairs.size() * blocks_.size() * 2, {});
  for (auto& pair : pairs) {
    if (pair.large != nullptr) pair.large->histogram = pair.parent;
  }
  if (counts_.IsOn()) CountRows(pairs);
  BinSplitFinder const finder(gain, bins_->Cuts());
  ParallelFor(team, static_cast<std::int64_t>(pairs.size()) * n_blocks, [&](std::int64_t index) {
    auto const pair = static_cast<std::size_t>(index / n_blocks);
    auto const block = static_cast<std::size_t>(index % n_blocks);
    FinishBlock(finder, pairs[pair], partial_[pair], blocks_[block], &found_[static_cast<std::size_t>(index) * 2]);
  });
  KeepBest(pairs);
  if (shares_.empty()) return;
  std::vector<RankedSplit> best;
  for (auto const& pair : pairs) {
    for (auto* node : {pair.small, pair.large}) {
      if (node != nullptr && node->IsOpen()) best.push_back({&node->best, node->total.noise});
    }
  }
  BestOverRanks(ctx, bins_->NumCols(), best);
}

void HistWorkspace::KeepBest(Span<HistPair const> pairs) {
  auto const keep = [](SplitCandidate const& candidate, HistNode* node) {
    if (node->total.noise.IsBetter(candidate, node->best)) node->best = candidate;
  };
  auto const* found = found_.data();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    for (auto* partial : partial_[i]) pool_.GiveBack(partial);
    for (std::size_t block = 0; block < blocks_.size(); ++block, found += 2) {
      keep(found[0], pairs[i].small);
      if (pairs[i].large != nullptr) keep(found[1], pairs[i].large);
    }
  }
}

}  // namespace kauri
