/// \file Histograms of all ranks' rows, from those of each rank's.
///
/// The cells that are needed of several histograms are laid side by side and summed in one call, of bounded size: what
/// a call costs besides its bytes is paid once per level. Bytes: 16 per cell and histogram, that is 114,688 for a node
/// of 28 features with 256 bins, and a level of a tree needs only the histograms of every other node.
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

/// The numbers of some features, ascending. feature_begin: [n_cols + 1], the first cell of each; width: numbers a cell.
std::vector<SumRange> RangesOf(Span<std::uint32_t const> features, Span<std::uint32_t const> feature_begin,
                               std::uint64_t width);

/// In each of the histograms, whose numbers outside of `ranges` stay as they are. Every rank has as many. scratch: kept
/// from call to call, since fresh memory of that size costs as much as the sums.
void SumHistograms(Context const& ctx, Span<SumRange const> ranges, Span<std::int64_t* const> histograms,
                   std::vector<std::int64_t>* scratch);

}  // namespace kauri
