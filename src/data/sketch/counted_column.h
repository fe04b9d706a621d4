/// \file One rank's values of a column: weights of ranges of keys, without sorting all of them.
///
/// 1. Keys are counted, or their weights summed, by their upper 17 bits. This gives the weights of ranges of whole
///    buckets.
/// 2. If a finer range within a bucket is requested, the keys of the bucket are copied out and sorted. In large columns
///    of many values, where the requests lie around even ranks, these keys are a small share.
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
  /// Counts or sorts the values. `column` must stay in place. Without a unit each value counts 1.
  CountedColumn(ColumnPart const& column, std::optional<WeightUnit> const& unit);
  /// Sorts the keys that Weigh needs for these parts. Costs a pass over the values if they lie in buckets that were not
  /// requested before.
  void Prepare(std::vector<KeyParts> const& asked);
  /// Computes the weight of the values in each part: out [parts.n_parts]. Prepare must be called before.
  void Weigh(KeyParts const& parts, std::int64_t* out) const;
  /// Returns the memory of one such column, besides its values.
  static std::int64_t BytesPerColumn(std::int64_t n_rows);

 private:
  void Count();
  /// Adds the values whose key satisfies is_wanted. Without weights there must be at most `most` of them.
  template <typename IsWanted>
  void Collect(std::size_t most, IsWanted&& is_wanted);
  void Sort();
  std::int64_t WeightBelow(std::vector<std::uint32_t>::const_iterator key) const;

  ColumnPart column_;
  std::optional<WeightUnit> unit_;
  std::vector<std::int64_t> below_bucket_;  ///< [n_buckets + 1]; empty: all keys are sorted
  std::vector<std::uint8_t> is_picked_;     ///< [n_buckets]
  std::vector<std::uint32_t> keys_;         ///< sorted keys of the picked buckets
  std::vector<WeightedKey> items_;          ///< the same keys with weights, if there are weights
  std::vector<std::int64_t> below_key_;     ///< [n_keys + 1]: weight below each key, if there are weights
};

}  // namespace kauri
