/// \file Summaries of a column of numbers that answer queries for its quantiles.
///
/// Sketches of parts of a column are merged into a sketch of the whole column. The result is a function of the values
/// added and the sketches merged, in their order: the same calls give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/sketch/rank_cuts.h"
#include "kauri/span.h"

namespace kauri {

enum class SketchKind {
  kExact,    ///< every distinct value; as large as the data
  kGk,       ///< a weighted summary with a bound on its ranks (data/sketch/gk_sketch.h)
  kMoments,  ///< a few power sums, without a bound (data/sketch/moment_sketch.h)
  kKll,      ///< random compactions, with a probabilistic bound (data/sketch/kll_sketch.h)
};

/// The density that kMoments fits (data/sketch/moment_density.h).
enum class SketchDensity {
  kMaxEntropy,
  kLegendre,
  kCosine,  ///< from cosines instead of moments, so it needs the range first (data/sketch/cosine_sketch.h)
};

struct SketchOptions {
  SketchOptions(SketchKind of = SketchKind::kExact) : kind(of) {}

  SketchKind kind;
  int size = 0;    ///< size of a kKll sketch, at least 2; 0: 8 for each bin
  int order = 10;  ///< number of moments, or cosines, of kMoments: 2 .. kMaxMoment
  SketchDensity density = SketchDensity::kMaxEntropy;

  /// Returns a key that is equal for options that make equal sketches.
  std::string Key() const;
};

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
  /// its own. For kKll it holds with a probability of 99 %; for kMoments it is 1, because there is no guarantee.
  virtual double RankErrorBound() const = 0;
  virtual std::size_t Bytes() const = 0;
};

/// Returns a sketch suited to `max_bin` bins. The density must not be kCosine: MakeCosineSketch takes the range.
std::unique_ptr<ColumnSketch> MakeColumnSketch(SketchOptions const& options, int max_bin);

/// Returns a sketch of kind kMoments with cosines, for values in [low, high].
std::unique_ptr<ColumnSketch> MakeCosineSketch(SketchOptions const& options, int max_bin, float low, float high);

/// Returns for each share the least value such that the values up to it hold at least this share of all weight. Shares
/// ascend, from 0 to 1. NaN if there is no weight.
std::vector<float> QuantilesOf(ColumnRanks const& ranks, Span<double const> shares);

}  // namespace kauri
