/// \file Summaries of a column of numbers that answer queries for its quantiles.
///
/// Sketches of parts of a column are merged into a sketch of the whole column. The result is a function of the values
/// added and the sketches merged, in their order: the same calls give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/sketch/rank_cuts.h"
#include "kauri/span.h"

namespace kauri {

class ColumnSketch {
 public:
  virtual ~ColumnSketch() = default;
  /// Adds values of rows with their weights, >= 0; without weights each row weighs 1. Skips NaN and rows without
  /// weight; no value is infinite. Add many at a time: the cost of a call may be proportional to the size of the
  /// sketch.
  virtual void Add(Span<float const> values, Span<float const> weights) = 0;
  /// Adds the values of another sketch of the same kind and size.
  virtual void Merge(ColumnSketch const& other) = 0;
  /// Returns all distinct values while they are few, otherwise enough of them for the number of bins.
  virtual ColumnRanks Ranks() const = 0;
  /// Returns the maximum error, as a share of all weight, of the rank that Ranks() implies for a value between two of
  /// its own; 1 without a guarantee.
  virtual double RankErrorBound() const = 0;
  /// Returns the same for a quantile of QuantilesOf.
  virtual double QuantileErrorBound() const { return RankErrorBound(); }
  virtual std::size_t Bytes() const = 0;
};

/// Returns for each share the least value such that the values up to it hold at least this share of all weight. Shares
/// ascend, from 0 to 1. NaN if there is no weight.
std::vector<float> QuantilesOf(ColumnRanks const& ranks, Span<double const> shares);

}  // namespace kauri
