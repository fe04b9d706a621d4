/// \file What is kept of a column of numbers to know its quantiles.
///
/// Sketches of parts of a column are merged into one of the whole. Every operation is a function of what was added and
/// merged, in which order: the same calls give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "data/sketch/rank_cuts.h"
#include "kauri/span.h"

namespace kauri {

enum class SketchKind {
  kExact,    ///< every distinct value; as large as the data
  kGk,       ///< a weighted summary whose ranks have a bound (data/sketch/gk_sketch.h)
  kMoments,  ///< a few power sums, with no bound (data/sketch/moment_sketch.h)
};

class ColumnSketch {
 public:
  virtual ~ColumnSketch() = default;
  /// Values of rows and their weights, >= 0; no weights: each row weighs 1. NaN and rows that weigh nothing are passed
  /// over; no value is infinite. Add many at a time: a call may cost as much as the sketch is large.
  virtual void Add(Span<float const> values, Span<float const> weights) = 0;
  /// Adds what another sketch of the same kind and size was given.
  virtual void Merge(ColumnSketch const& other) = 0;
  /// All distinct values while they are few, otherwise enough of them for the number of bins.
  virtual ColumnRanks Ranks() const = 0;
  /// The rank that Ranks() states for a value between two of its own is wrong by this share of all weight at most.
  virtual double RankErrorBound() const = 0;
  virtual std::size_t Bytes() const = 0;
};

/// A sketch that is fit for `max_bin` bins.
std::unique_ptr<ColumnSketch> MakeColumnSketch(SketchKind kind, int max_bin);

}  // namespace kauri
