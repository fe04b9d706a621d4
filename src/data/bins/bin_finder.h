/// \file Bins of many values of one feature: a table by the leading bits of the value, then a short search.
///
/// 1. Values and cuts become keys (weighted_keys.h), whose order is the order of the values. The range of the cuts'
/// keys
///    is divided into slots of equal width, a power of two.
/// 2. A table says for each slot how many cuts lie in the slots before it. All of them are at or below a value of the
///    slot, and all cuts of later slots are above it.
/// 3. A search among as many cuts as the fullest slot has finds the rest. 256 bins of normally distributed values need
///    two of its steps instead of eight; values whose cuts crowd into one slot need as many steps as without the table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/sketch/weighted_keys.h"

namespace kauri {

/// Finds bins as FindBin does, for blocks of values. Immutable.
class BinFinder {
 public:
  static constexpr std::size_t kBlock = 1 << 9;  ///< most values of a call

  /// \param cuts [n_bins], ascending; the last lies beyond all data and is not compared.
  /// \param most_slots The largest table, at least 2.
  BinFinder(float const* cuts, std::uint32_t n_bins, std::uint32_t most_slots);

  /// Writes the bins of values[0 .. n) to `bins`; n is at most kBlock. A NaN gets any bin.
  void Find(float const* values, std::size_t n, std::uint32_t* bins) const {
    auto const last_slot = static_cast<std::uint32_t>(first_of_slot_.size() - 1);
    for (std::size_t i = 0; i < n; ++i) {
      auto const key = ToKey(values[i]);
      auto const slot = (key < first_key_ ? 0 : key - first_key_) >> shift_;
      bins[i] = slot < last_slot ? slot : last_slot;
    }
    for (std::size_t i = 0; i < n; ++i) bins[i] = first_of_slot_[bins[i]];
    // All values search in lockstep, so that the latencies of their searches overlap.
    for (auto length = most_cuts_ + 1; length > 1;) {
      auto const half = length / 2;
      auto const* const compared = cuts_.data() + half - 1;
      for (std::size_t i = 0; i < n; ++i) {
        // A mask instead of a branch: the outcome is random, so a branch would be mispredicted half of the time.
        bins[i] += half & (0U - static_cast<std::uint32_t>(compared[bins[i]] <= values[i]));
      }
      length -= half;
    }
  }

 private:
  std::vector<float> cuts_;                   ///< [n_bins - 1 + most_cuts_], the added ones NaN: below no value
  std::vector<std::uint16_t> first_of_slot_;  ///< [n_slots], number of cuts in earlier slots
  std::uint32_t first_key_ = 0;               ///< key of the first cut
  std::uint32_t shift_ = 0;                   ///< a slot has 2^shift_ keys
  std::uint32_t most_cuts_ = 0;               ///< most cuts of a slot
};

/// Returns the finders of all features. The tables grow with the number of values that they will serve, and all of them
/// together take at most 16 MB.
/// \param cuts_of Returns the cuts of a feature; bins_of: their number.
template <typename CutsOf, typename BinsOf>
std::vector<BinFinder> MakeBinFinders(std::int64_t n_rows, std::int64_t n_cols, CutsOf&& cuts_of, BinsOf&& bins_of) {
  constexpr std::int64_t kMostSlots = 1 << 14;
  constexpr std::int64_t kMostSlotsOfAll = 1 << 23;
  constexpr std::int64_t kValuesPerSlot = 4;
  std::int64_t n_slots = 2;
  while (n_slots < kMostSlots && 2 * n_slots * kValuesPerSlot <= n_rows && 2 * n_slots * n_cols <= kMostSlotsOfAll) {
    n_slots *= 2;
  }
  std::vector<BinFinder> finders;
  finders.reserve(static_cast<std::size_t>(n_cols));
  for (std::size_t feature = 0; feature < static_cast<std::size_t>(n_cols); ++feature) {
    finders.emplace_back(cuts_of(feature), bins_of(feature), static_cast<std::uint32_t>(n_slots));
  }
  return finders;
}

}  // namespace kauri
