/// \file Counting sort of entries by column, with the rows divided into parts for the threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/threads/parallel_for.h"
#include "kauri/context.h"

namespace kauri {

/// [part][column]: the number of entries of this part of the rows, later the place of the first of them.
using ColumnPlaces = std::vector<std::vector<std::int64_t>>;

/// Returns the number of rows per part: one part per thread, or fewer parts if the tables of counts would be larger
/// than the data.
inline std::int64_t RowsPerColumnPart(Context const& ctx, std::int64_t n_rows, std::int64_t n_cols,
                                      std::int64_t n_entries) {
  auto const worth_it = std::max<std::int64_t>(1, n_entries / std::max<std::int64_t>(1, 4 * n_cols));
  return std::max<std::int64_t>(1, NumBlocks(n_rows, std::min<std::int64_t>(ctx.threads, worth_it)));
}

/// Turns counts into places, column by column, parts in order within a column. begin: [n_cols + 1], first places of the
/// columns.
inline void PlaceColumns(ColumnPlaces* counts, std::vector<std::int64_t>* begin) {
  std::int64_t place = 0;
  for (std::size_t column = 0; column < begin->size(); ++column) {
    (*begin)[column] = place;
    if (column + 1 == begin->size()) break;
    for (auto& part : *counts) {
      auto const count = part[column];
      part[column] = place;
      place += count;
    }
  }
}

}  // namespace kauri
