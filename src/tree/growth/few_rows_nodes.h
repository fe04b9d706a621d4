/// \file Decides which nodes of a level are searched without a histogram (hist/few_rows.h,
/// hist_vector/few_vector_rows.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/context.h"
#include "kauri/span.h"
#include "tree/growth/hist_growth.h"
#include "tree/random_thresholds/drawn_columns.h"
#include "tree/rows/row_lists.h"

namespace kauri {

template <typename Growth>
struct LevelByRows {
  std::vector<GrowingPair<Growth>> others;  ///< pairs with more rows
  std::vector<GrowingNode<Growth>*> few;    ///< open nodes of the pairs with few rows
  double n_rows = 0.0;                      ///< rows of the pairs with few rows
};

/// Returns whether the nodes of a level draw random thresholds for most columns at once. finder: split finder.
/// scratches: scratch of all threads, with earlier results of this tree.
template <typename Growth, typename Finder, typename Scratch>
bool DrawsColumns(BinMatrix const& bins, Finder const& finder, std::vector<Scratch> const& scratches,
                  Span<GrowingPair<Growth> const> pairs) {
  if (pairs.empty() || !finder.GoesByGainAlone(pairs[0].small->total) || !DrawsMostColumns(bins)) return false;
  return std::none_of(scratches.begin(), scratches.end(), [](Scratch const& one) { return one.drawn.has_failed; });
}

/// Divides the pairs of a level by their number of rows. are_few(n_rows): whether a pair has few rows.
/// give_back(histogram): called for parents whose children need no histogram.
template <typename Growth, typename AreFew, typename GiveBack>
LevelByRows<Growth> DivideByRows(Span<GrowingPair<Growth> const> pairs, RowLists const& rows, AreFew const& are_few,
                                 GiveBack const& give_back) {
  LevelByRows<Growth> level;
  for (auto const& pair : pairs) {
    auto const together = rows.NumRows(pair.small->id) + (pair.large == nullptr ? 0 : rows.NumRows(pair.large->id));
    if (!are_few(together)) {
      level.others.push_back(pair);
      continue;
    }
    if (pair.parent != nullptr) give_back(pair.parent);
    for (auto* node : {pair.small, pair.large}) {
      if (node != nullptr && node->IsOpen()) level.few.push_back(node);
    }
    level.n_rows += static_cast<double>(together);
  }
  return level;
}

}  // namespace kauri
