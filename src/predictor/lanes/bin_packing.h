/// \file Packing of a tree ensemble's paths into warps (Mitchell et al. 2022, section 3.3).
///
/// Items have sizes 1 .. capacity, the items of a bin have a total size of at most `capacity`, and fewer bins mean
/// fewer idle lanes. Sizes are small integers. Best fit works on the number of items of each size (PlanBestFit), in
/// O(items). First fit keeps open bins by their free room, in O(items * (capacity + log(bins))).
///
/// PackingPlan is best-fit decreasing, computed only from the number of items of each size (Mitchell et al. 2022,
/// section 3.3, fills bins item by item).
///
/// Vocabulary. Items are numbered by size, the largest first; items of one size keep their order. Room is the free
/// capacity of a bin. A run is a sequence of consecutive items of one size that go into bins of one room, `each` to a
/// bin.
///
/// Sizes are small integers, so there are few kinds of bins:
///   1. Sizes are processed in turn, the largest first. Open bins with the least sufficient room come first and, among
///      bins of equal room, the bin that was filled last. A bin takes every item that fits, since after the first one
///      it has the least room.
///   2. Bins of one room that were filled one after the other have consecutive numbers, up or down, and stay together:
///      such a range is moved as one. So there are a few hundred runs, whatever the number of items.
///   3. The place of an item follows from its run, found by bisection, so every thread of a device can compute it
///      alone.
/// The bins are the same as in the item-by-item algorithm, which is P-complete for bins of any size.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kauri/host_device.h"
#include "kauri/span.h"

namespace kauri {

struct PackingRun {
  std::int64_t first;      ///< first item of the run
  std::int64_t first_bin;  ///< first bin; the next ones are first_bin + step, first_bin + 2 step, ...
  std::int32_t step;       ///< 1 or -1
  std::int32_t each;       ///< items per bin; the last bin may hold fewer
  std::int32_t size;       ///< size of an item
  std::int32_t before;     ///< used capacity of each bin before this run
};

/// Final load of the bins from first_bin up to the next entry's first_bin.
struct BinLoad {
  std::int64_t first_bin;
  std::int32_t used;
};

struct PackingPlan {
  std::vector<PackingRun> runs;  ///< ascending by `first`; the first run begins at 0
  std::vector<BinLoad> loads;    ///< ascending by first_bin; the first entry begins at 0
  std::int64_t n_bins = 0;
};

/// Plans the packing. counts: [capacity + 1], number of items of each size; counts[0] is ignored.
PackingPlan PlanBestFit(Span<std::int64_t const> counts, std::int32_t capacity);

struct ItemPlace {
  std::int64_t bin;
  std::int32_t offset;  ///< start of the item within the bin
};

/// Returns the last of n things, ascending by `member`, that begins at or before `at`. The first one begins at 0.
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
