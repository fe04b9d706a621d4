#include "tree/hist_vector/vector_workspace.h"

#include <algorithm>
#include <cstring>

#include "common/memory_size.h"
#include "common/threads/parallel_for.h"
#include "common/threads/threads.h"
#include "kauri/collective.h"
#include "tree/growth/host_growth.h"
#include "tree/hist_vector/vector_adder.h"
#include "tree/histogram/rank_histograms.h"

namespace kauri {
namespace {

constexpr std::uint64_t kSumsPerBlock = 1 << 16;  // 512 KiB
constexpr std::int64_t kUnitsPerThread = 4;
constexpr std::int64_t kMinPartRows = 1 << 13;
constexpr std::uint32_t kLargePower =
    64;  // multiples of this get one more cell, or features would crowd into a few cache sets
constexpr double kSumsPerOperation = 4.0;  // sums added in the time of one simple operation

/// Returns the first cell of each feature. Dense data have consecutive features with one more cell for missing values,
/// if there are any. Other data have the numbering of the matrix.
std::vector<std::uint32_t> CellBegin(BinMatrix const& bins) {
  if (!bins.IsDense() || bins.HasBundles()) return bins.FeatureBegin();
  std::vector<std::uint32_t> begin{0};
  for (std::size_t feature = 0; feature < static_cast<std::size_t>(bins.NumCols()); ++feature) {
    auto const has_missing = bins.MissingCode(feature) != kNoCode;
    auto const n_cells = bins.NumBins(feature) + (has_missing ? 1 : 0);
    begin.push_back(begin.back() + n_cells + (n_cells % kLargePower == 0 ? 1 : 0));
  }
  return begin;
}

}  // namespace

VectorWorkspace::VectorWorkspace(BinMatrix const& bins, std::int64_t stride)
    : bins_(&bins), stride_(stride), cell_begin_(CellBegin(bins)), pool_(SizeInMemory(cell_begin_.back() * stride)) {
  MakeColumns();
}

void VectorWorkspace::MakeColumns() {
  if (!bins_->HasBundles()) {
    for (std::uint32_t feature = 0; feature + 1 < cell_begin_.size(); ++feature) {
      columns_.push_back({feature, feature + 1, cell_begin_[feature], cell_begin_[feature + 1]});
    }
    return;
  }
  for (auto const& bundle : bins_->Bundled().bundles) {
    if (!columns_.empty()) columns_.back().last_cell = bundle.first_cell;
    columns_.push_back({bundle.first, bundle.last, bundle.first_cell, cell_begin_.back()});
  }
}

void VectorWorkspace::SetFeatures(std::vector<std::uint32_t> const& features) {
  for (auto& scratch : few_rows_) scratch.drawn.has_failed = false;
  slots_.clear();
  blocks_.clear();
  std::uint64_t n_sums = 0;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    auto const& [first, last, first_cell, last_cell] = columns_[column];
    auto const used = std::lower_bound(features.begin(), features.end(), first);
    if (used == features.end() || *used >= last) continue;
    VectorSlot const slot{static_cast<std::uint32_t>(column), static_cast<std::uint64_t>(first_cell) * Width(),
                          static_cast<std::uint64_t>(last_cell) * Width()};
    auto const n = slot.end_sum - slot.first_sum;
    if (blocks_.empty() || n_sums + n > kSumsPerBlock) {
      blocks_.push_back({slots_.size(), slots_.size(), first, last});
      n_sums = 0;
    }
    slots_.push_back(slot);
    blocks_.back().last = slots_.size();
    blocks_.back().last_feature = last;
    n_sums += n;
  }
}

double VectorWorkspace::Operations(RowLists const& rows, Span<VectorPair const> pairs) const {
  double n_rows = 0.0;
  for (auto const& pair : pairs) n_rows += static_cast<double>(rows.NumRows(pair.small->id));
  auto const per_row = HasCodes() ? static_cast<double>(slots_.size())
                                  : static_cast<double>(bins_->Entries().cells.size()) /
                                        static_cast<double>(std::max<std::int64_t>(1, bins_->NumRows()));
  auto const n_cells = static_cast<double>(pairs.size()) * cell_begin_.back();
  return (n_rows * per_row + n_cells) * static_cast<double>(stride_) / kSumsPerOperation;
}

void VectorWorkspace::PlanParts(Context const& ctx, RowLists const& rows, Span<VectorPair const> pairs) {
  parts_.clear();
  first_part_.assign(1, 0);
  auto const n_pairs = static_cast<std::int64_t>(pairs.size());
  auto const units = n_pairs * (HasCodes() ? static_cast<std::int64_t>(blocks_.size()) : 1);
  auto const wanted = ctx.threads <= 1 ? 1 : NumBlocks(kUnitsPerThread * ctx.threads, units);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    auto const range = rows.RangeOf(pairs[i].small->id);
    auto const n_rows = range.end - range.begin;
    auto const n_parts = std::max<std::int64_t>(1, std::min(wanted, n_rows / kMinPartRows));
    for (std::int64_t part = 0; part < n_parts; ++part) {
      auto* const histogram = pool_.Borrow();
      if (part == 0) pairs[i].small->histogram = histogram;
      RowSlice const slice{rows.Rows(), range.begin + n_rows * part / n_parts,
                           range.begin + n_rows * (part + 1) / n_parts};
      parts_.push_back({i, slice, histogram});
    }
    first_part_.push_back(parts_.size());
  }
}

void VectorWorkspace::AddPart(GradientTableView const& table, Part const& part, Block block) {
  if (!HasCodes()) {
    std::memset(part.histogram, 0, FirstSum(static_cast<std::uint32_t>(bins_->NumCols())) * sizeof(*part.histogram));
    AddSparseRows(*bins_, table, part.slice, part.histogram);
    return;
  }
  for (auto slot = block.first; slot < block.last; ++slot) {
    auto const& [column, first_sum, end_sum] = slots_[slot];
    std::memset(part.histogram + first_sum, 0, (end_sum - first_sum) * sizeof(*part.histogram));
  }
  AddRowsOfSlots(*bins_, table, part.slice, {slots_.data() + block.first, block.last - block.first}, part.histogram);
}

void VectorWorkspace::ScanBlock(Job const& job, VectorNode const& node, Block block, SplitCandidate* best) {
  if (!node.IsOpen()) return;
  auto* const scratch = &scratch_[ThreadIndex()];
  auto const end = node.features->end();
  auto feature = std::lower_bound(node.features->begin(), end, block.first_feature);
  for (; feature != end && *feature < block.last_feature; ++feature) {
    job.finder.Find(CellsOf(node.histogram, *feature), node.total, scratch, best);
  }
}

/// Fills in the most frequent bins, which bundles of dense data omit: the node's sums minus the sums of the feature's
/// other bins.
void VectorWorkspace::FillMostFrequent(VectorNode const& node, Block block) {
  auto const& most_frequent = bins_->Bundled().most_frequent;
  if (most_frequent.empty()) return;
  for (auto slot = block.first; slot < block.last; ++slot) {
    auto const& column = columns_[slots_[slot].column];
    for (auto feature = column.first; feature < column.last; ++feature) {
      if (most_frequent[feature] == kNoMostFrequent) continue;
      auto* const cells = node.histogram + FirstSum(feature);
      auto* const filled = cells + most_frequent[feature] * Width();
      std::copy(node.total.sums.begin(), node.total.sums.end(), filled);
      for (auto const* cell = cells; cell < node.histogram + FirstSum(feature + 1); cell += stride_) {
        if (cell != filled) SubtractSums(cell, Width(), filled);
      }
    }
  }
}

void VectorWorkspace::MergeParts(std::size_t pair, VectorPair const& in, Block block) {
  for (auto slot = block.first; slot < block.last; ++slot) {
    auto const& [column, begin, end] = slots_[slot];
    for (auto part = first_part_[pair] + 1; part < first_part_[pair + 1]; ++part) {
      AddSums(parts_[part].histogram + begin, end - begin, in.small->histogram + begin);
    }
  }
}

void VectorWorkspace::GiveBackParts() {
  for (std::size_t pair = 0; pair + 1 < first_part_.size(); ++pair) {
    for (auto part = first_part_[pair] + 1; part < first_part_[pair + 1]; ++part) {
      pool_.GiveBack(parts_[part].histogram);
    }
    parts_[pair] = parts_[first_part_[pair]];
    first_part_[pair] = pair;
  }
  first_part_.back() = first_part_.size() - 1;
}

void VectorWorkspace::SumOverRanks(Context const& ctx, Span<VectorPair const> pairs) {
  auto const n_blocks = static_cast<std::int64_t>(blocks_.size());
  ParallelFor(ctx, static_cast<std::int64_t>(pairs.size()) * n_blocks, [&](std::int64_t unit) {
    auto const pair = static_cast<std::size_t>(unit / n_blocks);
    MergeParts(pair, pairs[pair], blocks_[unit % n_blocks]);
  });
  GiveBackParts();
  SumRanges ranges;
  for (auto const& slot : slots_) ranges.push_back({slot.first_sum, slot.end_sum});
  std::vector<std::int64_t*> histograms;
  for (auto const& pair : pairs) histograms.push_back(pair.small->histogram);
  SumHistograms(ctx, {&ranges, 1}, histograms, &of_ranks_);
}

void VectorWorkspace::FinishBlock(Job const& job, std::size_t index, Block block, SplitCandidate* best) {
  auto const& pair = job.pairs[index];
  auto* const small = pair.small->histogram;
  MergeParts(index, pair, block);
  FillMostFrequent(*pair.small, block);
  for (auto slot = block.first; slot < block.last && pair.large != nullptr; ++slot) {
    auto const& [column, begin, end] = slots_[slot];
    SubtractSums(small + begin, end - begin, pair.large->histogram + begin);
  }
  ScanBlock(job, *pair.small, block, best);
  if (pair.large != nullptr) ScanBlock(job, *pair.large, block, best + 1);
}

void VectorWorkspace::KeepBest(Job const& job, std::size_t index) {
  auto const& pair = job.pairs[index];
  for (std::size_t child = 0; child < (pair.large == nullptr ? 1 : 2); ++child) {
    auto& node = child == 0 ? *pair.small : *pair.large;
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
      auto const& found = found_[(index * blocks_.size() + block) * 2 + child];
      if (node.total.noise.IsBetter(found, node.best)) node.best = found;
    }
    if (!node.best.IsValid()) continue;
    job.finder.Describe(CellsOf(node.histogram, node.best.feature), node.best, &node.total);
  }
}

void VectorWorkspace::AddParts(Context const& team, GradientTableView const& table) {
  auto const n_blocks = HasCodes() ? static_cast<std::int64_t>(blocks_.size()) : 1;
  ParallelFor(team, static_cast<std::int64_t>(parts_.size()) * n_blocks,
              [&](std::int64_t unit) { AddPart(table, parts_[unit / n_blocks], blocks_[unit % n_blocks]); });
}

std::vector<VectorPair> VectorWorkspace::SearchFewRows(Context const& ctx, Job const& job, RowLists const& rows) {
  if (IsDistributed(ctx)) return {job.pairs.begin(), job.pairs.end()};
  auto const draws = DrawsColumns(*bins_, job.finder, few_rows_, job.pairs);
  auto const by_node = draws && job.pairs.size() >= static_cast<std::size_t>(ctx.threads);  // no node has to wait then
  auto const level = DivideByRows(
      job.pairs, rows, [&](std::int64_t n_rows) { return AreFewVectorRows(*bins_, n_rows, by_node); },
      [&](std::int64_t* histogram) { pool_.GiveBack(histogram); });
  few_rows_.resize(std::max(few_rows_.size(), static_cast<std::size_t>(ctx.threads)));
  auto const work = level.n_rows * static_cast<double>(slots_.size()) * static_cast<double>(stride_);
  ParallelFor(ThreadsFor(ctx, work), static_cast<std::int64_t>(level.few.size()), [&](std::int64_t index) {
    auto* const node = level.few[index];
    auto const range = rows.RangeOf(node->id);
    RowsOfVectors const of_node{job.table, {rows.Rows(), range.begin, range.end}, draws};
    FindSplitOfFewVectorRows(job.finder, *bins_, of_node, &few_rows_[ThreadIndex()], node);
  });
  return level.others;
}

void VectorWorkspace::FindSplits(Context const& ctx, GradientTableView const& table, VectorSplitFinder const& finder,
                                 RowLists const& rows, Span<VectorPair const> pairs) {
  auto const others = SearchFewRows(ctx, {table, finder, pairs}, rows);
  if (!others.empty()) SearchHistograms(ctx, {table, finder, others}, rows);
}

void VectorWorkspace::SearchHistograms(Context const& ctx, Job const& job, RowLists const& rows) {
  auto const& pairs = job.pairs;
  scratch_.resize(std::max(scratch_.size(), static_cast<std::size_t>(ctx.threads)));
  auto const team = ThreadsFor(ctx, Operations(rows, pairs));
  PlanParts(team, rows, pairs);
  for (auto const& pair : pairs) {
    if (pair.large != nullptr) pair.large->histogram = pair.parent;
  }
  found_.assign(pairs.size() * blocks_.size() * 2, {});
  auto const in_one_go = HasCodes() && parts_.size() == pairs.size() && !IsDistributed(ctx);
  if (!in_one_go) AddParts(team, job.table);
  if (IsDistributed(ctx)) SumOverRanks(team, pairs);
  auto const n_blocks = static_cast<std::int64_t>(blocks_.size());
  ParallelFor(team, static_cast<std::int64_t>(pairs.size()) * n_blocks, [&](std::int64_t unit) {
    auto const pair = static_cast<std::size_t>(unit / n_blocks);
    auto const block = blocks_[unit % n_blocks];
    if (in_one_go) AddPart(job.table, parts_[pair], block);
    FinishBlock(job, pair, block, &found_[static_cast<std::size_t>(unit) * 2]);
  });
  ParallelFor(team, static_cast<std::int64_t>(pairs.size()),
              [&](std::int64_t pair) { KeepBest(job, static_cast<std::size_t>(pair)); });
  GiveBackParts();
}

namespace {

constexpr std::uint32_t kWordBits = 64;

/// The rows of one node, and the search for its splits.
class FewVectorRows {
 public:
  FewVectorRows(BinMatrix const& bins, GradientTableView const& table, RowSlice slice, FewVectorRowsScratch* scratch)
      : bins_(bins), stride_(table.stride), scratch_(*scratch) {
    auto const n = static_cast<std::size_t>(slice.end - slice.begin);
    scratch_.places.resize(n);
    scratch_.values.resize(n * static_cast<std::size_t>(stride_));
    auto const row_stride = bins.HasByteCodes() ? bins.Bytes().row_stride : bins.Words().row_stride;
    for (std::size_t i = 0; i < n; ++i) {
      auto const position = slice.begin + static_cast<std::int64_t>(i);
      auto const row = slice.rows == nullptr ? position : static_cast<std::int64_t>(slice.rows[position]);
      scratch_.places[i] = row * row_stride;
      std::copy_n(table.values.data() + row * stride_, stride_,
                  scratch_.values.data() + static_cast<std::int64_t>(i) * stride_);
    }
  }

  /// Adds the rows to the cells of the feature, calls fn(cells), and clears the cells.
  template <typename Fn>
  void WithCells(std::uint32_t feature, Fn&& fn) {
    AddRows(feature);
    fn(VectorCells{scratch_.cells.data(), stride_, feature});
    WipeCells(stride_, scratch_.codes, scratch_.cells.data());
  }

  void Find(VectorSplitFinder const& finder, VectorCells const& cells, VectorTotal const& node, SplitCandidate* best) {
    auto& scan = scratch_.scan;
    if (bins_.Cuts().IsCategorical(cells.feature)) return finder.Find(cells, node, &scan, best);
    auto const n_bins = bins_.NumBins(cells.feature);
    scan.codes.clear();
    scan.missing.assign(cells.stride, 0);
    for (auto const code : scratch_.codes) {
      if (code == n_bins) {
        scan.missing.assign(cells.Of(code), cells.Of(code) + cells.stride);
      } else if (finder.HoldsRows(cells.Of(code), cells.stride)) {
        scan.codes.push_back(code);
      }
    }
    finder.FindAmong(cells, node, &scan, best);
  }

 private:
  void AddRows(std::uint32_t feature) {
    std::size_t const n_cells = bins_.NumBins(feature) + 1;  // the last cell is for missing values
    auto const n_sums = n_cells * static_cast<std::size_t>(stride_);
    if (scratch_.cells.size() < n_sums) scratch_.cells.resize(n_sums);
    scratch_.used.assign(n_cells / kWordBits + 1, 0);
    GatheredRows const rows{scratch_.places, scratch_.values, stride_};
    AddGatheredRows(bins_, feature, rows, scratch_.cells.data(), scratch_.used.data());
    scratch_.codes.clear();
    for (std::uint32_t word = 0; word < scratch_.used.size(); ++word) {
      for (auto bits = scratch_.used[word]; bits != 0; bits &= bits - 1) {
        scratch_.codes.push_back(word * kWordBits + static_cast<std::uint32_t>(__builtin_ctzll(bits)));
      }
    }
  }

  BinMatrix const& bins_;
  std::int64_t stride_;
  FewVectorRowsScratch& scratch_;
};

/// Searches the random thresholds of all columns except scratch->drawn.others. Returns false if it cannot.
bool SearchDrawn(VectorSplitFinder const& finder, BinMatrix const& bins, RowsOfVectors const& rows,
                 FewVectorRowsScratch* scratch, GrowingNode<VectorGrowth>* node) {
  if (!rows.draws) return false;
  auto& drawn = scratch->drawn;
  drawn.rows.codes = bins.Bytes().rows.data();
  drawn.rows.n_sums = finder.NumSums();
  auto const read = [&](std::int64_t row, std::int64_t* to) {
    CopyIntegers(rows.table.values.data() + row * rows.table.stride, drawn.rows.n_sums, to);
    return finder.KindOf(to);
  };
  if (!drawn.rows.Gather(rows.slice, bins.Bytes().row_stride, read)) {
    drawn.has_failed = true;
    return false;
  }
  DrawThresholds(bins, node->total.draw, *node->features, &drawn);
  node->best = finder.FindDrawn(drawn, node->total, &scratch->scan);
  if (!node->best.IsValid()) return true;
  node->total.left.assign(node->total.sums.size(), 0);
  for (std::int64_t sum = 0; sum < drawn.rows.n_sums; ++sum) {
    node->total.left[sum] = drawn.LeftOf(sum, node->best.feature);
  }
  return true;
}

}  // namespace

bool AreFewVectorRows(BinMatrix const& bins, std::int64_t n_rows, bool draws) {
  constexpr std::int64_t kRowsPerCell = 2;       // measured
  constexpr std::int64_t kDrawnRowsPerCell = 8;  // measured likewise
  if (!bins.IsDense() || bins.HasBundles()) return false;
  auto const rows_per_cell = draws ? kDrawnRowsPerCell : kRowsPerCell;
  return n_rows * bins.NumCols() <= rows_per_cell * static_cast<std::int64_t>(bins.NumCells());
}

void FindSplitOfFewVectorRows(VectorSplitFinder const& finder, BinMatrix const& bins, RowsOfVectors const& rows,
                              FewVectorRowsScratch* scratch, GrowingNode<VectorGrowth>* node) {
  Span<std::uint32_t const> features = *node->features;
  if (SearchDrawn(finder, bins, rows, scratch, node)) features = scratch->drawn.others;
  if (features.empty()) return;
  FewVectorRows by_cells(bins, rows.table, rows.slice, scratch);
  SplitCandidate best;
  for (auto const feature : features) {
    by_cells.WithCells(feature, [&](VectorCells const& cells) { by_cells.Find(finder, cells, node->total, &best); });
  }
  if (!IsBetter(best, node->best)) return;
  node->best = best;
  by_cells.WithCells(best.feature, [&](VectorCells const& cells) { finder.Describe(cells, best, &node->total); });
}

}  // namespace kauri
