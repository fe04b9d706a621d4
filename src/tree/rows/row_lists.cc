#include "tree/rows/row_lists.h"

#include <algorithm>
#include <utility>

#include "common/large_memory.h"
#include "common/threads/parallel_for.h"
#include "common/threads/threads.h"
#include "tree/rows/route_rows.h"

namespace kauri {
namespace {

constexpr std::int64_t kMinRowsPerBlock = 1 << 10;
constexpr std::int64_t kRowsPerBlock = 1 << 13;
constexpr double kOperationsPerRow = 4.0;

/// Returns the rule of a numerical split. column: source of the bin indices; it determines which indices beyond the
/// last bin mean missing.
RouteRule MakeRule(BinMatrix const& bins, CodeSplit const& split, CodeColumn column) {
  auto const last_present = split.default_left ? bins.NumBins(split.feature) - 1 : kNoCode;
  return {split.first_right, last_present, column.offset};
}

/// Calls fn(goes_left), where goes_left(row) applies a categorical split.
template <typename Fn>
void WithCategories(BinMatrix const& bins, CodeSplit const& split, CodeColumn column, Fn&& fn) {
  auto const* right = split.right_codes.data();
  auto const n_bins = static_cast<std::uint32_t>(split.right_codes.size());
  auto const with_codes = [&](auto code_at) {
    fn([=](std::uint32_t row) {
      std::uint32_t const code = code_at(row);
      return code < n_bins ? right[code] == 0 : split.default_left;
    });
  };
  if (column.bytes != nullptr) {
    with_codes([=](std::uint32_t row) { return column.bytes[row] - column.offset; });
  } else if (column.words != nullptr) {
    with_codes([=](std::uint32_t row) { return column.words[row]; });
  } else {
    with_codes([&](std::uint32_t row) { return bins.FindCode(row, split.feature); });
  }
}

/// Calls fn(row_at), where row_at(position) is the row at that position.
template <typename Fn>
void WithRows(std::uint32_t const* rows, Fn&& fn) {
  if (rows == nullptr) {
    fn([](std::int64_t position) { return static_cast<std::uint32_t>(position); });
  } else {
    fn([rows](std::int64_t position) { return rows[position]; });
  }
}

}  // namespace

std::int64_t RowLists::RouteCategories(BinMatrix const& bins, CodeSplit const& split, CodeColumn column,
                                       RouteBlock block) {
  auto* const left = left_.data() + block.begin;
  auto* const right = right_.data() + block.begin;
  std::int64_t n_left = 0;
  WithCategories(bins, split, column, [&](auto goes_left) {
    WithRows(Rows(), [&](auto row_at) {
      for (std::int64_t i = 0; i < block.n; ++i) {
        auto const row = row_at(block.begin + i);
        left[n_left] = row;
        right[i - n_left] = row;
        n_left += static_cast<std::int64_t>(goes_left(row));
      }
    });
  });
  return n_left;
}

void RowLists::WriteCategoryLeaves(BinMatrix const& bins, CodeSplit const& split, CodeColumn column, RouteBlock block,
                                   std::int32_t* leaf_of_row) {
  WithCategories(bins, split, column, [&](auto goes_left) {
    WithRows(Rows(), [&](auto row_at) {
      for (std::int64_t i = 0; i < block.n; ++i) {
        auto const row = row_at(block.begin + i);
        leaf_of_row[row] = goes_left(row) ? split.left : split.right;
      }
    });
  });
}

void RowLists::Reset(std::int64_t n_rows) {
  ResizeLarge(&rows_, static_cast<std::size_t>(n_rows));
  ranges_.assign(1, {0, n_rows});
  is_identity_ = true;
}

void RowLists::Reset(Span<std::uint8_t const> marks, std::uint8_t mark) {
  ResizeLarge(&rows_, marks.size());
  std::int64_t count = 0;
  for (std::size_t row = 0; row < marks.size(); ++row) {
    rows_[count] = static_cast<std::uint32_t>(row);
    count += static_cast<std::int64_t>(marks[row] == mark);
  }
  ranges_.assign(1, {0, count});
  is_identity_ = false;
}

void RowLists::MakeTasks(Span<CodeSplit const> splits, std::int64_t rows_per_task) {
  tasks_.clear();
  for (std::size_t i = 0; i < splits.size(); ++i) {
    auto const range = RangeOf(splits[i].node);
    for (auto begin = range.begin; begin < range.end; begin += rows_per_task) {
      Task task;
      task.split = static_cast<std::int64_t>(i);
      task.begin = begin;
      task.end = std::min(range.end, begin + rows_per_task);
      tasks_.push_back(task);
    }
  }
}

std::int64_t RowLists::RouteBlockRows(BinMatrix const& bins, CodeSplit const& split, CodeColumn column,
                                      RouteBlock block) {
  if (!split.right_codes.empty()) return RouteCategories(bins, split, column, block);
  auto const rule = MakeRule(bins, split, column);
  auto* const left = left_.data() + block.begin;
  auto* const right = right_.data() + block.begin;
  if (column.bytes != nullptr) return RouteRows(column.bytes, rule, block, left, right);
  if (column.words != nullptr) return RouteRows(column.words, rule, block, left, right);
  std::int64_t n_left = 0;
  WithRows(Rows(), [&](auto row_at) {
    for (std::int64_t i = 0; i < block.n; ++i) {
      auto const row = row_at(block.begin + i);
      left[n_left] = row;
      right[i - n_left] = row;
      n_left += static_cast<std::int64_t>(rule.GoesLeft(bins.FindCode(row, split.feature)));
    }
  });
  return n_left;
}

void RowLists::WriteBlockLeaves(BinMatrix const& bins, CodeSplit const& split, CodeColumn column, RouteBlock block,
                                std::int32_t* leaf_of_row) {
  if (!split.right_codes.empty()) return WriteCategoryLeaves(bins, split, column, block, leaf_of_row);
  auto const rule = MakeRule(bins, split, column);
  auto* const marks = left_.data() + block.begin;
  WithRows(Rows(), [&](auto row_at) {
    if (column.bytes != nullptr) {
      MarkLeft(column.bytes, rule, block, marks);
    } else if (column.words != nullptr) {
      MarkLeft(column.words, rule, block, marks);
    } else {
      for (std::int64_t i = 0; i < block.n; ++i) {
        marks[i] = static_cast<std::uint32_t>(rule.GoesLeft(bins.FindCode(row_at(block.begin + i), split.feature)));
      }
    }
    for (std::int64_t i = 0; i < block.n; ++i) {
      leaf_of_row[row_at(block.begin + i)] = marks[i] != 0 ? split.left : split.right;
    }
  });
}

void RowLists::RouteTasks(Context const& ctx, BinMatrix const& bins, Span<CodeSplit const> splits,
                          Span<std::int32_t> leaf_of_row) {
  auto const at_once = CodeColumns::MaxColumns(ctx, bins, splits.size());
  std::size_t first_task = 0;
  for (std::size_t first = 0; first < splits.size(); first += at_once) {
    auto const last = std::min(first + at_once, splits.size());
    std::vector<ColumnRequest> requests;
    for (auto split = first; split < last; ++split) {
      requests.push_back({splits[split].feature, NumRows(splits[split].node)});
    }
    columns_.Prepare(ctx, bins, std::move(requests));
    auto last_task = first_task;
    while (last_task < tasks_.size() && static_cast<std::size_t>(tasks_[last_task].split) < last) ++last_task;
    ParallelFor(ctx, static_cast<std::int64_t>(last_task - first_task), [&](std::int64_t index) {
      auto& task = tasks_[first_task + index];
      auto const& split = splits[task.split];
      auto const column = columns_.Of(static_cast<std::size_t>(task.split) - first);
      RouteBlock const block{Rows(), task.begin, task.end - task.begin};
      if (split.is_last) {
        WriteBlockLeaves(bins, split, column, block, leaf_of_row.data());
      } else {
        task.n_left = RouteBlockRows(bins, split, column, block);
      }
    });
    first_task = last_task;
  }
}

void RowLists::PlaceTasks(Span<CodeSplit const> splits) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    auto const& split = splits[i];
    auto& range = ranges_[split.node];
    auto const n_nodes = static_cast<std::size_t>(std::max(split.left, split.right)) + 1;
    std::int64_t n_left = 0;
    auto const first = next;
    for (; next < tasks_.size() && tasks_[next].split == static_cast<std::int64_t>(i); ++next) {
      tasks_[next].left_place = range.begin + n_left;
      n_left += tasks_[next].n_left;
    }
    auto right_place = range.begin + n_left;
    auto const middle = right_place;
    for (auto task = first; task < next; ++task) {
      tasks_[task].right_place = right_place;
      right_place += tasks_[task].end - tasks_[task].begin - tasks_[task].n_left;
    }
    auto const end = split.is_last ? range.begin : range.end;
    auto const begin = range.begin;
    range.end = begin;
    if (ranges_.size() < n_nodes) ranges_.resize(n_nodes);
    ranges_[split.left] = {begin, split.is_last ? begin : middle};
    ranges_[split.right] = {split.is_last ? begin : middle, end};
  }
}

void RowLists::CopyBlock(Task const& task) {
  auto const n_right = task.end - task.begin - task.n_left;
  std::copy_n(left_.data() + task.begin, task.n_left, rows_.data() + task.left_place);
  std::copy_n(right_.data() + task.begin, n_right, rows_.data() + task.right_place);
}

void RowLists::Split(Context const& ctx, BinMatrix const& bins, Span<CodeSplit const> splits,
                     Span<std::int32_t> leaf_of_row) {
  if (splits.empty()) return;
  ResizeLarge(&left_, std::max(left_.size(), rows_.size()));
  ResizeLarge(&right_, left_.size());
  std::int64_t n_rows = 0;
  for (auto const& split : splits) n_rows += NumRows(split.node);
  auto const team = ThreadsFor(ctx, kOperationsPerRow * static_cast<double>(n_rows));
  MakeTasks(splits, std::clamp(n_rows / (2 * team.threads), kMinRowsPerBlock, kRowsPerBlock));
  auto const n_tasks = static_cast<std::int64_t>(tasks_.size());
  RouteTasks(team, bins, splits, leaf_of_row);
  PlaceTasks(splits);
  is_identity_ = false;
  auto const is_last = [](CodeSplit const& split) { return split.is_last; };
  if (std::all_of(splits.begin(), splits.end(), is_last)) return;  // no rows to move
  ParallelFor(team, n_tasks, [&](std::int64_t index) {
    auto const& task = tasks_[index];
    if (!splits[task.split].is_last) CopyBlock(task);
  });
}

void RowLists::WriteLeaves(Context const& ctx, Span<std::int32_t> leaf_of_row) const {
  struct Piece {
    std::int32_t node;
    Range range;
  };
  std::vector<Piece> pieces;
  for (std::size_t node = 0; node < ranges_.size(); ++node) {
    for (auto begin = ranges_[node].begin; begin < ranges_[node].end; begin += kRowsPerBlock) {
      pieces.push_back({static_cast<std::int32_t>(node), {begin, std::min(ranges_[node].end, begin + kRowsPerBlock)}});
    }
  }
  auto const team = ThreadsFor(ctx, kOperationsPerRow * static_cast<double>(rows_.size()));
  ParallelFor(team, static_cast<std::int64_t>(pieces.size()), [&](std::int64_t index) {
    auto const& piece = pieces[index];
    WithRows(Rows(), [&](auto row_at) {
      for (auto i = piece.range.begin; i < piece.range.end; ++i) {
        leaf_of_row[row_at(i)] = piece.node;
      }
    });
  });
}

void MemoryRows::Reset(Span<std::uint8_t const> sampled) {
  has_others_ = !sampled.empty();
  if (!has_others_) return sampled_.Reset(bins_->NumRows());
  sampled_.Reset(sampled, 1);
  others_.Reset(sampled, 0);
}

void MemoryRows::Split(Context const& ctx, Span<CodeSplit const> splits, Span<std::int32_t> leaf_of_row) {
  sampled_.Split(ctx, *bins_, splits, leaf_of_row);
  if (has_others_) others_.Split(ctx, *bins_, splits, leaf_of_row);
}

void MemoryRows::WriteLeaves(Context const& ctx, Span<std::int32_t> leaf_of_row) const {
  sampled_.WriteLeaves(ctx, leaf_of_row);
  if (has_others_) others_.WriteLeaves(ctx, leaf_of_row);
}

namespace {

constexpr std::int64_t kPadding = BinCodes<std::uint16_t>::kPadding;
constexpr std::size_t kMaxSlots = 16;     // two bytes per row each
constexpr std::int64_t kLookUpShare = 8;  // entries written and cleared in the time of one look-up

/// Returns whether columns exist or cannot be expanded.
bool HasColumns(BinMatrix const& bins) { return bins.IsDense() || bins.HasBundles() || !bins.HasColumns(); }

CodeColumn BundleColumn(BinMatrix const& bins, std::uint32_t feature) {
  if (bins.NumRows() > kMaxRouteBytes) return {};
  auto const& bundled = bins.Bundled();
  auto const* column = bundled.codes.columns.data() + bundled.bundle_of[feature] * bins.NumRows();
  return {column, nullptr, bins.BundleOffset(feature)};
}

CodeColumn DenseColumn(BinMatrix const& bins, std::uint32_t feature) {
  if (!bins.HasColumns()) return {};
  if (!bins.IsDense()) return BundleColumn(bins, feature);
  auto const offset = static_cast<std::int64_t>(feature) * bins.NumRows();
  auto const code_bytes = bins.HasByteCodes() ? 1 : 2;
  if (bins.NumRows() * code_bytes > kMaxRouteBytes) return {};
  if (bins.HasByteCodes()) return {bins.Bytes().columns.data() + offset, nullptr, 0};
  return {nullptr, bins.Words().columns.data() + offset, 0};
}

}  // namespace

std::size_t CodeColumns::MaxColumns(Context const& ctx, BinMatrix const& bins, std::size_t n_wanted) {
  if (HasColumns(bins)) return n_wanted;
  return std::min(static_cast<std::size_t>(ctx.threads), kMaxSlots);
}

void CodeColumns::Expand(BinMatrix const& bins, std::size_t slot) {
  auto const request = requests_[slot];
  auto const entries = bins.EntriesOf(request.feature);
  if (entries.n > request.n_rows * kLookUpShare || bins.NumRows() * 2 > kMaxRouteBytes) return;
  if (bins.NumBins(request.feature) > kMaxShortCodes) return;
  auto& codes = slots_[slot];
  codes.resize(bins.NumRows() + kPadding, kAbsentCode);
  for (std::int64_t i = 0; i < entries.n; ++i) codes[entries.rows[i]] = entries.codes[i];
  columns_[slot].words = codes.data();
}

void CodeColumns::Wipe(BinMatrix const& bins, std::size_t slot) {
  if (columns_[slot].words == nullptr) return;
  auto const entries = bins.EntriesOf(requests_[slot].feature);
  for (std::int64_t i = 0; i < entries.n; ++i) slots_[slot][entries.rows[i]] = kAbsentCode;
}

void CodeColumns::Prepare(Context const& ctx, BinMatrix const& bins, std::vector<ColumnRequest> requests) {
  if (HasColumns(bins)) {
    columns_.clear();
    for (auto const& request : requests) columns_.push_back(DenseColumn(bins, request.feature));
    return;
  }
  auto const for_each = [&](auto&& fn) {
    double n_entries = 0.0;
    for (auto const& request : requests_) n_entries += static_cast<double>(bins.EntriesOf(request.feature).n);
    ParallelFor(ThreadsFor(ctx, n_entries), static_cast<std::int64_t>(requests_.size()),
                [&](std::int64_t slot) { fn(static_cast<std::size_t>(slot)); });
  };
  for_each([&](std::size_t slot) { Wipe(bins, slot); });
  requests_ = std::move(requests);
  columns_.assign(requests_.size(), {});
  slots_.resize(std::max(slots_.size(), requests_.size()));
  for_each([&](std::size_t slot) { Expand(bins, slot); });
}

}  // namespace kauri
