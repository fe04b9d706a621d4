/// \file Paths of a tree ensemble packed into warps (Mitchell et al. 2022, section 3.3).
///
/// Items have sizes 1 .. capacity, a bin holds items of at most `capacity` together, and fewer bins mean fewer idle
/// lanes. Sizes are small integers: best fit works on the number of items of each (packing_plan.h), O(items) in all;
/// first fit keeps open bins by what is left in them, O(items * (capacity + log(bins))).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kauri/span.h"

namespace kauri {

enum class BinPacking : int {
  kBestFitDecreasing = 0,   ///< largest first, each into the fullest bin that has room: at most 11/9 of the fewest bins
  kFirstFitDecreasing = 1,  ///< largest first, each into the oldest bin that has room: the same bound
  kNextFit = 2,             ///< in order, into the newest bin or a fresh one: at most twice the fewest bins
  kNone = 3                 ///< a bin for each item
};

struct Packing {
  std::vector<std::int64_t> items;      ///< [n_items], bin after bin; of a bin in the order in which they came
  std::vector<std::int64_t> bin_begin;  ///< [n_bins + 1], into items
  std::int64_t used = 0;                ///< sum of the sizes
  std::int32_t capacity = 0;

  std::int64_t NumBins() const { return static_cast<std::int64_t>(bin_begin.size()) - 1; }
  /// Share of the bins' room that is used, in (0, 1]; 1 without bins.
  double Utilisation() const;
};

/// sizes: 1 .. capacity each. Deterministic. \throws Error(kInternal) for any other size.
Packing PackBins(Span<std::uint8_t const> sizes, std::int32_t capacity, BinPacking method);

}  // namespace kauri
