/// \file Best-fit decreasing from the number of items of each size alone (Mitchell et al. 2022, section 3.3, whose bins
/// are filled item by item).
///
/// Vocabulary. Items are numbered with the largest first, those of one size in order. Room is what is left in a bin. A
/// run is neighbouring items of one size that go into bins of one room, `each` to a bin.
///
/// Sizes are small integers, so there are few kinds of bins:
///   1. Sizes in turn, the largest first. Of the open bins those with the least room that is enough come first, and of
///   one
///      room the one that was touched last; a bin takes as many items as fit, since after the first it has the least
///      room.
///   2. Bins of one room that were filled one after the other have numbers one after the other, up or down, and stay
///      together: such a range is moved as one. So there are some hundred runs, whatever the number of items.
///   3. Where an item is follows from its run, found by bisection: every thread of a device can ask by itself.
/// The bins are those of the item by item algorithm, which is P-complete for bins of any size.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/host_device.h"
#include "kauri/span.h"

namespace kauri {

struct PackingRun {
  std::int64_t first;      ///< item
  std::int64_t first_bin;  ///< then first_bin + step, first_bin + 2 step, ...
  std::int32_t step;       ///< 1 or -1
  std::int32_t each;       ///< items of a bin; of the last one maybe fewer
  std::int32_t size;       ///< of an item
  std::int32_t before;     ///< of a bin, what is used by larger items
};

/// What the bins from first_bin on, up to the next load's, hold in the end.
struct BinLoad {
  std::int64_t first_bin;
  std::int32_t used;
};

struct PackingPlan {
  std::vector<PackingRun> runs;  ///< ascending by `first`, which begins with 0
  std::vector<BinLoad> loads;    ///< ascending by first_bin, which begins with 0
  std::int64_t n_bins = 0;
};

/// counts: [capacity + 1], items of each size; counts[0] is not looked at.
PackingPlan PlanBestFit(Span<std::int64_t const> counts, std::int32_t capacity);

struct ItemPlace {
  std::int64_t bin;
  std::int32_t offset;  ///< where it begins in the bin
};

/// The last of n things, ascending by `member`, that begins at or before `at`; the first one begins at 0.
template <typename T>
KAURI_HD T const& LastUpTo(T const* things, std::int64_t n, std::int64_t T::*member, std::int64_t at) {
  std::int64_t low = 0;
  for (std::int64_t high = n; high - low > 1;) {
    std::int64_t const middle = low + (high - low) / 2;
    if (things[middle].*member <= at) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return things[low];
}

KAURI_HD ItemPlace PlaceOfItem(PackingRun const* runs, std::int64_t n_runs, std::int64_t item) {
  PackingRun const& run = LastUpTo(runs, n_runs, &PackingRun::first, item);
  std::int64_t const place = item - run.first;
  std::int64_t const bin = place / run.each;
  return {run.first_bin + run.step * bin, run.before + static_cast<std::int32_t>(place - bin * run.each) * run.size};
}

}  // namespace kauri
