/// \file Histograms of all ranks' rows, from those of each rank's.
///
/// The cells that are needed of several histograms are laid side by side and summed in one call, of bounded size: what
/// a call costs besides its bytes is paid once per level. Bytes: 16 per cell and histogram, that is 114,688 for a node
/// of 28 features with 256 bins, and a level of a tree needs only the histograms of every other node. Where each rank
/// searches a share of the columns only, it needs the sums of these: of n ranks one then sends (n - 1) / n of a
/// histogram, not twice that, and hears of each node the best split of every rank (rank_splits.h).
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/span.h"

namespace kauri {

/// Consecutive numbers of a histogram.
struct SumRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// What a rank needs of a histogram.
using SumRanges = std::vector<SumRange>;

/// The first columns of each rank's share, [n_ranks + 1], ascending from 0 to n_cols: of `features`, ascending, each
/// has about as many cells. feature_begin: [n_cols + 1], the first cell of each column.
std::vector<std::uint32_t> ShareColumns(Span<std::uint32_t const> features, Span<std::uint32_t const> feature_begin,
                                        int n_ranks);

/// The numbers of some features, ascending, that lie in the columns [first, last). width: numbers a cell.
SumRanges NumbersOf(Span<std::uint32_t const> features, Span<std::uint32_t const> feature_begin, std::uint64_t width,
                    std::uint32_t first, std::uint32_t last);

/// In each of the histograms, which every rank has as many of, the numbers that this rank needs. shares: what each rank
/// needs, [n_ranks], or one that all need. Numbers in other shares are not defined then, those in none as they were.
/// scratch: kept from call to call, since fresh memory of that size costs as much as the sums.
void SumHistograms(Context const& ctx, Span<SumRanges const> shares, Span<std::int64_t* const> histograms,
                   std::vector<std::int64_t>* scratch);

}  // namespace kauri
