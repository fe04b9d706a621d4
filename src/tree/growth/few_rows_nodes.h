/// \file Which nodes of a level are searched without a histogram (hist/few_rows.h, hist_vector/few_vector_rows.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/context.h"
#include "kauri/span.h"
#include "tree/drawn/drawn_columns.h"
#include "tree/growth/hist_growth.h"
#include "tree/rows/row_lists.h"

namespace kauri {

template <typename Growth>
struct LevelByRows {
  std::vector<GrowingPair<Growth>> others;  ///< pairs of more rows
  std::vector<GrowingNode<Growth>*> few;    ///< open nodes of the pairs of few
  double n_rows = 0.0;                      ///< of these pairs
};

/// Whether the nodes of a level have their thresholds drawn for most columns at once. finder: of splits; scratches: of
/// all threads, with what they drew before in this tree.
template <typename Growth, typename Finder, typename Scratch>
bool DrawsColumns(BinMatrix const& bins, Finder const& finder, std::vector<Scratch> const& scratches,
                  Span<GrowingPair<Growth> const> pairs) {
  if (pairs.empty() || !finder.GoesByGainAlone(pairs[0].small->total) || !DrawsMostColumns(bins)) return false;
  return std::none_of(scratches.begin(), scratches.end(), [](Scratch const& one) { return one.drawn.has_failed; });
}

/// are_few(n_rows): whether those of a pair are. give_back(histogram): of a parent whose children need none.
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
