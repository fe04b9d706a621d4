/// \file Cuts at even steps of rank: the one rule for every sketch.
///
/// Vocabulary. The rank of a value is the weight of all smaller values. A boundary is the index of the first entry of
/// some value: a cut there puts the value into the next bin.
///
/// The algorithm. If there are at most max_bin distinct values, every value gets its own bin. Otherwise the column is
/// divided in steps of (weight left) / (bins left), and each cut is the last boundary up to its step. A value that
/// fills such a step by itself gets a bin of its own, and the bins after it share the rest evenly.
/// Devices use the same templates: their boundaries and cuts have these members (cuda/hist/bins/).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "data/sketch/weighted_keys.h"
#include "kauri/host_device.h"

namespace kauri {

/// The distinct values of a column, all of them or a selection.
struct ColumnRanks {
  std::vector<float> values;       ///< ascending
  std::vector<double> below{0.0};  ///< [values.size() + 1]: the rank of each value, then the total weight; ascending
};

/// The boundaries of sorted keys that all weigh the same. The keys must not be empty.
class KeyBoundaries {
 public:
  explicit KeyBoundaries(std::vector<std::uint32_t> const& sorted) : keys_(sorted) {}
  std::size_t End() const { return keys_.size(); }
  float Value(std::size_t boundary) const { return FromKey(keys_[boundary]); }
  double Rank(std::size_t boundary) const { return static_cast<double>(boundary); }
  std::size_t Next(std::size_t boundary) const {
    auto const from = keys_.begin() + static_cast<std::ptrdiff_t>(boundary);
    return static_cast<std::size_t>(std::upper_bound(from, keys_.end(), *from) - keys_.begin());
  }
  /// Returns the last boundary at or below a rank.
  std::size_t LastUpTo(double rank) const {
    auto const at = std::min(static_cast<std::size_t>(rank), keys_.size() - 1);
    return static_cast<std::size_t>(std::lower_bound(keys_.begin(), keys_.end(), keys_[at]) - keys_.begin());
  }

 private:
  std::vector<std::uint32_t> const& keys_;
};

class RankBoundaries {
 public:
  explicit RankBoundaries(ColumnRanks const& ranks) : ranks_(ranks) {}
  std::size_t End() const { return ranks_.values.size(); }
  float Value(std::size_t boundary) const { return ranks_.values[boundary]; }
  double Rank(std::size_t boundary) const { return ranks_.below[boundary]; }
  std::size_t Next(std::size_t boundary) const { return boundary + 1; }
  std::size_t LastUpTo(double rank) const {
    auto const next = std::upper_bound(ranks_.below.begin() + 1, ranks_.below.end() - 1, rank);
    return static_cast<std::size_t>(next - ranks_.below.begin()) - 1;
  }

 private:
  ColumnRanks const& ranks_;
};

/// Adds all boundaries but the first to `cuts`, which must be empty. Returns false if there are more than max_bin
/// values.
template <typename Boundaries, typename Cuts>
KAURI_HD bool DistinctCuts(Boundaries const& column, std::uint32_t max_bin, Cuts* cuts) {
  if (column.End() == 0) return true;
  for (auto boundary = column.Next(0); boundary < column.End(); boundary = column.Next(boundary)) {
    if (cuts->size() + 1 >= max_bin) {
      cuts->clear();
      return false;
    }
    cuts->push_back(column.Value(boundary));
  }
  return true;
}

template <typename Boundaries, typename Cuts>
KAURI_HD void EvenCuts(Boundaries const& column, std::uint32_t max_bin, Cuts* cuts) {
  auto const total = column.Rank(column.End());
  std::size_t start = 0;  // the beginning of the current bin
  double reached = 0.0;   // the end of the last step, not the cut below it, so that shortfalls of steps do not add up
  for (auto bins_left = max_bin; bins_left > 1; --bins_left) {
    auto const target = reached + (total - reached) / bins_left;
    auto const last = column.LastUpTo(target);
    start = last > start ? last : column.Next(start);
    reached = std::max(target, column.Rank(start));
    if (start >= column.End()) return;
    cuts->push_back(column.Value(start));
  }
}

/// Returns the number of bins of a column with more distinct values. A column with missing values reserves a bin for
/// them if this keeps the codes within a byte.
KAURI_HD std::uint32_t NumEvenBins(bool has_missing, std::uint32_t max_bin) {
  constexpr std::uint32_t kByteCodes = 256;
  return has_missing && max_bin == kByteCodes ? max_bin - 1 : max_bin;
}

/// Computes all cuts but the last, which lies beyond the data. `cuts` must be empty.
template <typename Boundaries, typename Cuts>
KAURI_HD void MakeCuts(Boundaries const& column, bool has_missing, std::uint32_t max_bin, Cuts* cuts) {
  if (!DistinctCuts(column, max_bin, cuts)) EvenCuts(column, NumEvenBins(has_missing, max_bin), cuts);
}

template <typename Boundaries>
std::vector<float> MakeCuts(Boundaries const& column, bool has_missing, std::uint32_t max_bin) {
  std::vector<float> cuts;
  MakeCuts(column, has_missing, max_bin, &cuts);
  return cuts;
}

}  // namespace kauri
