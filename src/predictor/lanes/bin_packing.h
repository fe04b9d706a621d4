/// \file Packing of a tree ensemble's paths into warps (Mitchell et al. 2022, section 3.3).
///
/// Items have sizes 1 .. capacity, the items of a bin have a total size of at most `capacity`, and fewer bins mean
/// fewer idle lanes. Sizes are small integers. Best fit works on the number of items of each size (packing_plan.h), in
/// O(items). First fit keeps open bins by their free room, in O(items * (capacity + log(bins))).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kauri/span.h"

namespace kauri {

enum class BinPacking : int {
  kBestFitDecreasing = 0,   ///< largest first, each into the fullest bin with room: at most 11/9 of the fewest bins
  kFirstFitDecreasing = 1,  ///< largest first, each into the oldest bin with room: the same bound
  kNextFit = 2,             ///< in order, into the newest bin or a fresh one: at most twice the fewest bins
  kNone = 3                 ///< one bin per item
};

struct Packing {
  std::vector<std::int64_t> items;      ///< [n_items], bin after bin; within a bin in packing order
  std::vector<std::int64_t> bin_begin;  ///< [n_bins + 1], index into items
  std::int64_t used = 0;                ///< sum of the sizes
  std::int32_t capacity = 0;

  std::int64_t NumBins() const { return static_cast<std::int64_t>(bin_begin.size()) - 1; }
  /// Returns the used fraction of the bins' capacity, in (0, 1]; 1 without bins.
  double Utilisation() const;
};

/// Packs the items. sizes: 1 .. capacity each. Deterministic. \throws Error(kInternal) for any other size.
Packing PackBins(Span<std::uint8_t const> sizes, std::int32_t capacity, BinPacking method);

}  // namespace kauri
