#include "data/sketch/group_cuts.h"

#include <algorithm>
#include <utility>

#include "collective/reduce.h"
#include "common/threads/parallel_for.h"
#include "data/sketch/column_census.h"
#include "data/sketch/counted_column.h"
#include "data/sketch/weighted_keys.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::int64_t kChunkBytes = 1 << 28;
constexpr std::int64_t kFewestColumns = 16;

/// One column of a chunk.
struct Column {
  CountedColumn here;
  ColumnCensus census = {};
  std::vector<KeyParts> asked = {};
  std::size_t first = 0;  ///< index of its answers among the answers of the chunk
};

/// Sends the requests of all columns to all ranks at once. Returns false if there are none.
bool Answer(Context const& ctx, std::vector<Column>* columns) {
  std::size_t n_parts = 0;
  for (auto& column : *columns) {
    column.asked = column.census.Asked();
    column.first = n_parts;
    for (auto const& parts : column.asked) n_parts += parts.n_parts;
  }
  if (n_parts == 0) return false;
  std::vector<std::int64_t> weights(n_parts);
  auto const n_columns = static_cast<std::int64_t>(columns->size());
  ParallelFor(ctx, n_columns, [&](std::int64_t place) {
    auto& column = (*columns)[place];
    column.here.Prepare(column.asked);
    auto* out = weights.data() + column.first;
    for (auto const& parts : column.asked) {
      column.here.Weigh(parts, out);
      out += parts.n_parts;
    }
  });
  SumOverRanks(ctx, Span<std::int64_t>(weights));
  for (auto& column : *columns) column.census.Open(weights.data() + column.first);
  return true;
}

void CutChunk(Context const& ctx, std::vector<ColumnPart> const& parts, CutTask const& task,
              Span<FeatureCuts> features) {
  auto const n_columns = static_cast<std::int64_t>(parts.size());
  std::vector<std::optional<CountedColumn>> counted(parts.size());
  ParallelFor(ctx, n_columns, [&](std::int64_t column) {
    features[column] = SummaryOf(parts[column].values);
    counted[column].emplace(parts[column], task.unit);
  });
  CountOverRanks(ctx, features);
  std::vector<Column> columns;
  for (auto& column : counted) columns.push_back({std::move(*column)});
  while (Answer(ctx, &columns)) {
    ParallelFor(ctx, n_columns, [&](std::int64_t column) {
      features[column].values = columns[column].census.Cuts(features[column].n_values < task.n_rows, task.max_bin);
    });
  }
}

bool IsSkipped(CategoryLists const& skipped, std::int64_t feature) {
  return !skipped.empty() && !skipped[feature].empty();
}

/// Returns the number of columns that all ranks have memory for at once.
std::int64_t ColumnsPerChunk(Context const& ctx, CutTask const& task) {
  constexpr std::int64_t kBytesPerBin = 4 * 32 * 16;  // memory of a census and of its requests
  auto const most_rows = MaxOverRanks(ctx, static_cast<std::uint64_t>(task.n_rows_here));
  if (most_rows > static_cast<std::uint64_t>(task.n_rows)) {
    Fail(ErrorKind::kCollective, "a rank has ", most_rows, " rows, but all ranks together ", task.n_rows,
         "; check that the transport delivers every byte unchanged.");
  }
  auto const n_most = static_cast<std::int64_t>(most_rows);
  auto const copied = n_most * static_cast<std::int64_t>(sizeof(float));
  return std::max(kFewestColumns,
                  kChunkBytes / (1 + copied + CountedColumn::BytesPerColumn(n_most) + task.max_bin * kBytesPerBin));
}

}  // namespace

void CountOverRanks(Context const& ctx, Span<FeatureCuts> features) {
  if (!IsDistributed(ctx)) return;
  std::vector<std::int64_t> counts;
  // for each feature its largest key, and the largest complement of its smallest key
  std::vector<std::uint64_t> bounds;
  for (auto const& feature : features) {
    auto const is_empty = feature.n_values == 0;
    counts.push_back(feature.n_values);
    bounds.push_back(is_empty ? 0 : ToKey(feature.max));
    bounds.push_back(is_empty ? 0 : ~ToKey(feature.min));
  }
  SumOverRanks(ctx, Span<std::int64_t>(counts));
  MaxOverRanks(ctx, Span<std::uint64_t>(bounds));
  for (std::size_t f = 0; f < features.size(); ++f) {
    features[f].n_values = counts[f];
    if (counts[f] == 0) continue;
    features[f].max = FromKey(static_cast<std::uint32_t>(bounds[2 * f]));
    features[f].min = FromKey(~static_cast<std::uint32_t>(bounds[2 * f + 1]));
  }
}

std::vector<FeatureCuts> CutsOverRanks(Context const& ctx, std::int64_t n_cols, CutTask const& task,
                                       ReadColumns const& read) {
  std::vector<FeatureCuts> cuts(ToSize(n_cols));
  auto const per_chunk = ColumnsPerChunk(ctx, task);
  for (std::int64_t first = 0; first < n_cols; first += per_chunk) {
    auto const last = std::min(n_cols, first + per_chunk);
    CutChunk(ctx, read(first, last), task, Span<FeatureCuts>(cuts).subspan(first, last - first));
  }
  return cuts;
}

std::vector<FeatureCuts> CutsOverRanks(Context const& ctx, DenseRows const& rows, Span<float const> weights,
                                       CutTask const& task, CategoryLists const& skipped) {
  std::vector<float> columns;
  auto const read = [&](std::int64_t first, std::int64_t last) {
    std::vector<ColumnPart> parts(ToSize(last - first));
    if (rows.n_rows == 0) return parts;
    CopyColumns(ctx, {rows.values + first, rows.n_rows, last - first, rows.n_cols}, &columns);
    for (auto f = first; f < last; ++f) {
      if (IsSkipped(skipped, f)) continue;
      parts[f - first] = {{columns.data() + (f - first) * ColumnStride(rows.n_rows), rows.n_rows}, weights};
    }
    return parts;
  };
  return CutsOverRanks(ctx, rows.n_cols, task, read);
}

std::vector<FeatureCuts> CutsOverRanks(Context const& ctx, DataMatrix const& rows, Span<float const> weights,
                                       CutTask const& task, CategoryLists const& skipped) {
  if (rows.IsDense()) {
    DenseRows const dense{rows.Dense().values.data(), rows.NumRows(), rows.NumCols()};
    return CutsOverRanks(ctx, dense, weights, task, skipped);
  }
  SparseColumns const columns(ctx, rows, 0, rows.NumRows(), weights);
  auto const read = [&](std::int64_t first, std::int64_t last) {
    std::vector<ColumnPart> parts(ToSize(last - first));
    for (auto f = first; f < last; ++f) {
      if (!IsSkipped(skipped, f)) parts[f - first] = columns.Of(static_cast<std::size_t>(f));
    }
    return parts;
  };
  return CutsOverRanks(ctx, rows.NumCols(), task, read);
}

}  // namespace kauri
