#include "data/bins/bin_columns.h"

#include <algorithm>

#include "common/threads/parallel_for.h"
#include "data/column_places.h"

namespace kauri {
std::vector<std::uint32_t> FeaturesOfCells(std::vector<std::uint32_t> const& feature_begin) {
  std::vector<std::uint32_t> features(feature_begin.back());
  for (std::uint32_t feature = 0; feature + 1 < feature_begin.size(); ++feature) {
    std::fill(features.begin() + feature_begin[feature], features.begin() + feature_begin[feature + 1], feature);
  }
  return features;
}

void SortByColumn(Context const& ctx, std::int64_t n_cols, std::vector<std::uint32_t> const& feature_begin,
                  BinEntries* out) {
  auto const feature_of = FeaturesOfCells(feature_begin);
  auto const& row_ptr = out->row_ptr;
  auto const n_rows = static_cast<std::int64_t>(row_ptr.size()) - 1;
  auto const part_rows = RowsPerColumnPart(ctx, n_rows, n_cols, row_ptr.back());
  ColumnPlaces next(static_cast<std::size_t>(NumBlocks(n_rows, part_rows)));
  ParallelForBlocks(ctx, n_rows, part_rows, [&](std::int64_t begin, std::int64_t end, std::int64_t part) {
    auto& counts = next[part];
    counts.assign(n_cols, 0);
    for (auto i = row_ptr[begin]; i < row_ptr[end]; ++i) {
      ++counts[feature_of[out->cells[i]]];
    }
  });
  out->column_ptr.resize(static_cast<std::size_t>(n_cols) + 1);
  PlaceColumns(&next, &out->column_ptr);
  out->column_rows.resize(out->cells.size());
  out->column_codes.resize(out->cells.size());
  ParallelForBlocks(ctx, n_rows, part_rows, [&](std::int64_t begin, std::int64_t end, std::int64_t part) {
    auto& places = next[part];
    for (auto row = begin; row < end; ++row) {
      for (auto i = row_ptr[row]; i < row_ptr[row + 1]; ++i) {
        auto const cell = out->cells[i];
        auto const feature = feature_of[cell];
        auto const place = static_cast<std::size_t>(places[feature]++);
        out->column_rows[place] = static_cast<std::uint32_t>(row);
        out->column_codes[place] = static_cast<std::uint16_t>(cell - feature_begin[feature]);
      }
    }
  });
}

}  // namespace kauri
