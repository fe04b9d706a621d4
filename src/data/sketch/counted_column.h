/// \file One rank's values of a column: what lies in ranges of keys, without sorting all of them.
///
/// 1. Keys are counted, or weighed, by their upper 17 bits: that answers for ranges of whole buckets.
/// 2. The keys of those buckets within which something is asked are copied out and sorted; in large columns of many
///    values, which are asked around even ranks, they are a small share.
/// Columns of few values are sorted at once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "data/column_parts.h"
#include "data/sketch/column_census.h"
#include "data/sketch/cut_weights.h"
#include "data/sketch/weighted_keys.h"

namespace kauri {

class CountedColumn {
 public:
  /// `column` must stay where it is. Without a unit each value counts 1.
  CountedColumn(ColumnPart const& column, std::optional<WeightUnit> const& unit);
  /// Sorts what Weigh needs for these; costs a pass over the values where they are in buckets that were not asked
  /// within before.
  void Prepare(std::vector<KeyParts> const& asked);
  /// What the values in each part weigh: out [parts.n_parts]. Prepare comes before.
  void Weigh(KeyParts const& parts, std::int64_t* out) const;
  /// Of one column like this, besides its values.
  static std::int64_t BytesPerColumn(std::int64_t n_rows);

 private:
  void Count();
  /// Adds the values that is_wanted(key) holds for; without weights they are not more than `most`.
  template <typename IsWanted>
  void Collect(std::size_t most, IsWanted&& is_wanted);
  void Sort();
  std::int64_t WeightBelow(std::vector<std::uint32_t>::const_iterator key) const;

  ColumnPart column_;
  std::optional<WeightUnit> unit_;
  std::vector<std::int64_t> below_bucket_;  ///< [n_buckets + 1]; empty: all keys are sorted
  std::vector<std::uint8_t> is_picked_;     ///< [n_buckets]
  std::vector<std::uint32_t> keys_;         ///< sorted, those of picked buckets
  std::vector<WeightedKey> items_;          ///< the same with weights, where there are some
  std::vector<std::int64_t> below_key_;     ///< [n_keys + 1], likewise
};

}  // namespace kauri
