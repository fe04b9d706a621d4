#include "data/sketch/column_values.h"

#include <cmath>
#include <utility>

#include "collective/reduce.h"
#include "data/row_source.h"
#include "kauri/error.h"

namespace kauri {

ColumnValues::ColumnValues(std::int64_t first, std::int64_t n_cols) : first_(first), columns_(ToSize(n_cols - first)) {}

void ColumnValues::Column::Add(ColumnPart const& part) {
  if (!part.weights.empty()) weights.resize(values.size(), 1.0F);
  for (std::size_t i = 0; i < part.values.size(); ++i) {
    if (std::isnan(part.values[i])) continue;
    values.push_back(part.values[i]);
    if (!part.weights.empty()) weights.push_back(part.weights[i]);
  }
  if (!weights.empty()) weights.resize(values.size(), 1.0F);
}

void ColumnValues::Add(Context const& ctx, DataMatrix const& part, Span<float const> weights, std::int64_t most_bytes) {
  ForEachColumnPart(ctx, part, RowsPerPart(part.NumCols()), weights,
                    [&](std::size_t feature, ColumnPart const& column) {
                      auto const place = static_cast<std::int64_t>(feature) - first_;
                      if (place >= 0 && place < End() - first_) columns_[place].Add(column);
                    });
  while (columns_.size() > 1 && Bytes() > most_bytes) columns_.pop_back();
}

std::int64_t ColumnValues::Bytes() const {
  std::size_t floats = 0;
  for (auto const& column : columns_) floats += column.values.capacity() + column.weights.capacity();
  return static_cast<std::int64_t>(floats * sizeof(float));
}

std::int64_t ColumnValues::Cut(Context const& ctx, CutTask const& task, std::vector<FeatureCuts>* features) const {
  auto const n_all = static_cast<std::int64_t>(features->size());
  // columns that some rank has dropped
  auto const n_behind = MaxOverRanks(ctx, static_cast<std::uint64_t>(n_all - End()));
  auto const end = n_all - static_cast<std::int64_t>(n_behind);
  if (end <= first_ || end > End()) {
    Fail(ErrorKind::kCollective, "the ranks hold different numbers of columns: another rank has ", end - first_,
         ", this rank has ", columns_.size(), "; run the same version of Kauri on all ranks.");
  }
  std::vector<ColumnPart> parts;
  for (auto f = first_; f < end; ++f) {
    auto const& column = columns_[f - first_];
    parts.push_back({column.values, task.unit ? Span<float const>(column.weights) : Span<float const>()});
  }
  auto cuts = MakeExactCuts(ctx, parts, task);
  std::move(cuts.begin(), cuts.end(), features->begin() + first_);
  return end;
}

}  // namespace kauri
