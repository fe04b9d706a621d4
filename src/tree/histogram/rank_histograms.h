/// \file Sums the histograms of all ranks, and combines the best splits that ranks found in their own columns.
///
/// The cells needed of several histograms are packed side by side and summed in one call of bounded size, so that the
/// fixed cost of a call is paid once per level. Bytes: 16 per cell and histogram, which is 114,688 for a node of 28
/// features with 256 bins. A level of a tree needs only the histograms of every other node. If each rank searches only
/// its own columns, it receives only the sums of these columns. Each of n ranks then sends (n - 1) / n of a histogram
/// instead of twice that, and the ranks exchange their best split of each node.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/span.h"
#include "tree/gain_noise.h"

namespace kauri {

/// A range of consecutive numbers of a histogram.
struct SumRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// The parts of a histogram that a rank needs.
using SumRanges = std::vector<SumRange>;

/// Returns the first column of each rank, [n_ranks + 1], ascending from 0 to n_cols, so that the ranks get about
/// equally many cells of `features`. features: ascending. feature_begin: [n_cols + 1], first cell of each column.
std::vector<std::uint32_t> ShareColumns(Span<std::uint32_t const> features, Span<std::uint32_t const> feature_begin,
                                        int n_ranks);

/// Returns the number ranges of those `features` (ascending) that lie in columns [first, last). width: numbers per
/// cell.
SumRanges NumbersOf(Span<std::uint32_t const> features, Span<std::uint32_t const> feature_begin, std::uint64_t width,
                    std::uint32_t first, std::uint32_t last);

/// Sums the histograms over all ranks, in place; each rank receives the numbers that it needs. All ranks pass the same
/// number of histograms. shares: numbers needed by each rank, [n_ranks], or one entry if all ranks need the same. With
/// several entries, numbers of other ranks' shares are undefined afterwards; numbers in no share are unchanged.
/// scratch: kept between calls, because fresh memory of that size costs as much as the sums.
void SumHistograms(Context const& ctx, Span<SumRanges const> shares, Span<std::int64_t* const> histograms,
                   std::vector<std::int64_t>* scratch);

/// The split that this rank found for a node, and the noise of the node, which is the same on all ranks.
struct RankedSplit {
  SplitCandidate* best;
  GainNoise noise = {};
};

/// Replaces each candidate by the best of all ranks' candidates, on all ranks. All ranks pass the same number of
/// candidates. Bytes: at most 48 per candidate and rank, in one all-reduce. \throws Error(kCollective) for a feature
/// outside n_cols, because the message came over a network.
void BestOverRanks(Context const& ctx, std::int64_t n_cols, std::vector<RankedSplit> const& candidates);

}  // namespace kauri
