#include "tree/exact/exact_coded_columns.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "common/threads/parallel_for.h"
#include "common/threads/threads.h"
#include "tree/exact/exact_rows.h"

namespace kauri {
namespace {

constexpr std::uint32_t kWordBits = 64;
constexpr std::int64_t kRowsPerPiece = 1 << 11;
constexpr std::int64_t kPiecesPerThread = 4;
constexpr std::int64_t kWorkPerTask = 1 << 14;   // additions
constexpr std::int64_t kFinishShare = 4;         // cost of deriving and scanning a cell, in additions
constexpr std::int64_t kRowShare = 3;            // cost of adding a row without a histogram, in additions
constexpr std::int64_t kCellsPerEntry = 2;       // entries of siblings that pay for a cell of their histograms
constexpr std::int64_t kCellsPerPieceEntry = 8;  // entries of a piece that pay for a cell of one more histogram

}  // namespace

CodedColumns::CodedColumns(ExactCodes const& codes)
    : codes_(&codes), pool_(codes.Narrow() == nullptr ? 1 : codes.Narrow()->NumCells()) {
  if (codes.Narrow() != nullptr) adder_ = std::make_unique<HistogramAdder>(*codes.Narrow());
}

void CodedColumns::Start(std::vector<std::uint32_t> columns) {
  columns_ = std::move(columns);
  narrow_.clear();
  for (auto const index : columns_) {
    auto const& column = codes_->Columns()[index];
    if (!column.IsWide()) narrow_.push_back(column.narrow);
  }
  pool_.GiveBackAll();
  cells_.clear();
}

bool CodedColumns::PaysFor(std::int64_t n_rows) const {
  return !narrow_.empty() && n_rows * static_cast<std::int64_t>(narrow_.size()) >
                                 kCellsPerEntry * static_cast<std::int64_t>(codes_->Narrow()->NumCells());
}

std::vector<CodedColumns::Family> CodedColumns::MakeFamilies(Span<ExactNode const> nodes, Span<RowMove const> moves) {
  auto const size_of = [&](std::int32_t node) { return nodes[node].range.Size(); };
  std::vector<Family> families;
  if (cells_.empty()) families.push_back({0});
  for (std::size_t parent = 0; parent < cells_.size(); ++parent) {
    Family family{moves[parent].left, moves[parent].right};
    if (family.small < 0) std::swap(family.small, family.large);
    if (family.large >= 0 && size_of(family.small) > size_of(family.large)) std::swap(family.small, family.large);
    if (family.large >= 0 && PaysFor(size_of(family.large))) {
      family.large_cells = cells_[parent];
    } else if (cells_[parent] != nullptr) {
      pool_.GiveBack(cells_[parent]);
    }
    if (family.small >= 0) families.push_back(std::move(family));
  }
  cells_.assign(nodes.size(), nullptr);
  for (auto& family : families) {
    auto const is_alone = family.large < 0;
    if (is_alone ? PaysFor(size_of(family.small)) : family.large_cells != nullptr) {
      family.small_cells = cells_[family.small] = pool_.Borrow();
    }
    if (!is_alone) cells_[family.large] = family.large_cells;
  }
  return families;
}

void CodedColumns::AddRows(Context const& ctx, ExactLevel const& level, Span<FixedPair const> pairs,
                           Span<Family> families) {
  auto const& nodes = level.Task().nodes;
  auto const n_families = static_cast<std::int64_t>(families.size());
  auto const size_of = [&](std::int64_t index) {
    auto const& family = families[index];
    return family.small_cells == nullptr ? 0 : nodes[family.small].range.Size();
  };
  std::int64_t n_rows = 0;
  for (std::int64_t index = 0; index < n_families; ++index) n_rows += size_of(index);
  if (n_rows == 0) return;
  auto const n_cells = codes_->Narrow()->NumCells();
  auto const n_columns = static_cast<std::int64_t>(narrow_.size());
  auto const even = NumBlocks(n_rows, kPiecesPerThread * ctx.threads);
  auto const piece_rows =
      ctx.threads <= 1 ? n_rows : std::max({even, kRowsPerPiece, kCellsPerPieceEntry * n_cells / n_columns});
  auto const pieces = CutIntoPieces(n_families, piece_rows, size_of);
  std::vector<FixedSum*> cells;
  for (auto const& piece : pieces) {
    auto& family = families[piece.item];
    if (piece.begin > 0) family.partial.push_back(pool_.Borrow());
    cells.push_back(piece.begin > 0 ? family.partial.back() : family.small_cells);
  }
  auto const team = ThreadsFor(ctx, static_cast<double>(n_rows * n_columns));
  ForEachPiece(team, pieces, piece_rows, [&](Piece const& piece) {
    auto const& family = families[piece.item];
    auto const first = std::int64_t{nodes[family.small].range.begin};
    auto* const to = cells[&piece - pieces.data()];
    std::memset(static_cast<void*>(to), 0, n_cells * sizeof(FixedSum));
    adder_->Add(pairs, {level.Task().rows->Rows(), first + piece.begin, first + piece.end}, narrow_, adder_->All(), to);
  });
}

void CodedColumns::Scratch::Reserve(std::size_t n_codes) {
  if (cells.size() >= n_codes) return;
  cells.resize(n_codes);
  used.resize(n_codes / kWordBits + 1);
  entries.resize(n_codes);
  sums.resize(n_codes);
}

void CodedColumns::Scratch::FillCategories() {
  categories.clear();
  for (std::size_t i = 0; i < count; ++i) categories.push_back({static_cast<std::int32_t>(entries[i].row), sums[i]});
}

void CodedColumns::CollectCells(CodedColumn const& column, FixedSum const* cells, Scratch* scratch) {
  auto* const entries = scratch->entries.data();
  auto* const sums = scratch->sums.data();
  std::size_t count = 0;
  for (std::uint32_t code = 0; code < column.n_values; ++code) {
    // Branch-free: every code is written, but only codes with rows are kept.
    entries[count].row = code;
    sums[count] = cells[code];
    count += (cells[code].gradient | cells[code].hessian) != 0 ? 1 : 0;
  }
  scratch->count = count;
}

void CodedColumns::CollectRows(CodedColumn const& column, RowOrder const& rows, PlaceRange range,
                               Scratch* scratch) const {
  auto* const cells = scratch->cells.data();
  auto* const used = scratch->used.data();
  codes_->WithCodes(column, [&](auto const& code_of) {
    for (auto position = range.begin; position < range.end; ++position) {
      auto const code = code_of(rows.RowAt(position));
      cells[code] += rows.Pairs()[position];
      used[code / kWordBits] |= std::uint64_t{1} << (code % kWordBits);
    }
  });
  std::size_t count = 0;
  for (std::uint32_t word = 0; word <= column.n_values / kWordBits; ++word) {
    for (auto bits = std::exchange(used[word], 0); bits != 0; bits &= bits - 1) {
      auto const code = word * kWordBits + static_cast<std::uint32_t>(__builtin_ctzll(bits));
      auto const sum = std::exchange(cells[code], {});
      if (code >= column.n_values || sum == FixedSum{}) continue;
      scratch->entries[count].row = code;
      scratch->sums[count++] = sum;
    }
  }
  scratch->count = count;
}

SplitCandidate CodedColumns::SearchCategories(ExactLevel const& level, CodedColumn const& column, std::size_t node,
                                              Scratch* scratch) {
  auto const segment = level.SegmentOf(column.feature, node);
  scratch->FillCategories();
  CategoryNode const described{column.feature, static_cast<std::int32_t>(column.n_values), segment.total,
                               segment.node_gain, segment.bounds};
  auto const just_below = std::nextafter(level.Floor(node), -std::numeric_limits<double>::infinity());
  return FindCategorySplit(level.Task().gain, level.Task().categories->rules, described, segment.limits, just_below,
                           &scratch->categories);
}

SplitCandidate CodedColumns::SearchNumbers(ExactLevel const& level, CodedColumn const& column, std::size_t node,
                                           Scratch* scratch) {
  FixedSum present;
  for (std::size_t i = 0; i < scratch->count; ++i) {
    present += scratch->sums[i];
    scratch->entries[i].value = column.values[scratch->entries[i].row];
  }
  auto segment = level.SegmentOf(column.feature, node);
  segment.entries = scratch->entries.data();
  segment.sums = scratch->sums.data();
  segment.count = static_cast<std::int64_t>(scratch->count);
  segment.has_missing = !(present == segment.total);
  segment.mode = column.mode;
  return ScanSegment(level.Task().gain, segment, level.Floor(node));
}

void CodedColumns::Search(ExactLevel const& level, CodedColumn const& column, std::int32_t node, FixedSum const* cells,
                          std::vector<SplitCandidate>* best) {
  auto const index = static_cast<std::size_t>(node);
  if (!level.MayUse(column.feature, index)) return;
  auto* const scratch = &scratch_[ThreadIndex()];
  scratch->Reserve(column.NumCodes());
  if (cells != nullptr) {
    CollectCells(column, cells, scratch);
  } else {
    CollectRows(column, *level.Task().rows, level.Task().nodes[index].range, scratch);
  }
  if (scratch->count == 0) return;
  auto const search = column.IsCategorical() ? SearchCategories : SearchNumbers;
  level.Keep(search(level, column, index, scratch), index, &(*best)[index]);
}

void CodedColumns::Finish(ExactLevel const& level, Family const& family, CodedColumn const& column,
                          std::vector<SplitCandidate>* best) {
  if (column.IsWide() || family.small_cells == nullptr) {
    Search(level, column, family.small, nullptr, best);
    if (family.large >= 0) Search(level, column, family.large, nullptr, best);
    return;
  }
  auto const begin = codes_->Narrow()->FeatureBegin()[column.narrow];
  auto* const small = family.small_cells + begin;
  for (auto const* other : family.partial) {
    for (std::size_t code = 0; code < column.n_values; ++code) small[code] += other[begin + code];
  }
  Search(level, column, family.small, small, best);
  if (family.large < 0) return;
  auto* const large = family.large_cells + begin;
  for (std::size_t code = 0; code < column.n_values; ++code) large[code] = large[code] - small[code];
  Search(level, column, family.large, large, best);
}

void CodedColumns::FindSplits(Context const& ctx, ExactLevel const& level, Span<FixedPair const> pairs,
                              Span<RowMove const> moves, std::vector<SplitCandidate>* best) {
  if (columns_.empty()) return;
  auto const& nodes = level.Task().nodes;
  auto families = MakeFamilies(nodes, moves);
  AddRows(ctx, level, pairs, families);
  auto const n_threads = static_cast<std::size_t>(ctx.threads);
  if (scratch_.size() < n_threads) scratch_.resize(n_threads);
  std::vector<std::vector<SplitCandidate>> found(n_threads, std::vector<SplitCandidate>(nodes.size()));
  auto const n_columns = columns_.size();
  auto const family_of = [&](std::int64_t item) -> Family const& {
    return families[static_cast<std::size_t>(item) / n_columns];
  };
  auto const column_of = [&](std::int64_t item) -> CodedColumn const& {
    return codes_->Columns()[columns_[static_cast<std::size_t>(item) % n_columns]];
  };
  auto const size_of = [&](std::int64_t item) {
    auto const& family = family_of(item);
    if (!column_of(item).IsWide() && family.small_cells != nullptr)
      return kFinishShare * static_cast<std::int64_t>(column_of(item).NumCodes() * (2 + family.partial.size()));
    auto const large = family.large < 0 ? 0 : nodes[family.large].range.Size();
    return kRowShare * (nodes[family.small].range.Size() + large);
  };
  auto const n_items = static_cast<std::int64_t>(families.size() * n_columns);
  ForEachBundled(ctx, n_items, kWorkPerTask, size_of,
                 [&](std::int64_t item) { Finish(level, family_of(item), column_of(item), &found[ThreadIndex()]); });
  for (auto& family : families) {
    for (auto* partial : family.partial) pool_.GiveBack(partial);
  }
  level.Merge(found, best);
}

std::vector<CategoryEntry> CodedColumns::SumsOf(CodedColumn const& column, RowOrder const& rows,
                                                PlaceRange range) const {
  Scratch scratch;
  scratch.Reserve(column.NumCodes());
  CollectRows(column, rows, range, &scratch);
  scratch.FillCategories();
  return std::move(scratch.categories);
}

}  // namespace kauri
