/// \file The cuts of all features from sketches that take the rows in blocks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "data/column_parts.h"
#include "data/sketch/cut_weights.h"
#include "data/sketch/quantile_sketch.h"

namespace kauri {

struct FeatureCuts {
  std::vector<float> values;  ///< all cuts but the last
  std::int64_t n_values = 0;  ///< number of present values, with or without weight
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();

  void AddValue(float value) {
    min = std::min(min, value);
    max = std::max(max, value);
    ++n_values;
  }
};

/// Returns the number of values (NaN is not counted) and their bounds.
FeatureCuts SummaryOf(Span<float const> values);

/// Returns an empty sketch for a feature.
using SketchMaker = std::function<std::unique_ptr<ColumnSketch>(std::size_t feature)>;

/// Sketches of all features, which take the rows part by part.
class FeatureSketches {
 public:
  /// Without `make` only counts and bounds are computed.
  FeatureSketches(std::int64_t n_cols, int max_bin, SketchMaker const& make = nullptr);
  /// weights: [n_rows], or empty.
  void Add(Context const& ctx, DataMatrix const& rows, Span<float const> weights);
  void Add(Context const& ctx, DenseRows const& rows, Span<float const> weights);
  /// Replaces the sketches, counts and bounds of this rank's rows by the sketches, counts and bounds of the rows of all
  /// ranks. make: makes an empty sketch, into which the sketches of the ranks are merged. Costs one Gather of the
  /// sketches of 64 features at a time. \throws Error(kCollective) for messages that are no sketches.
  void MergeOverRanks(Context const& ctx, SketchMaker const& make);
  std::vector<FeatureCuts> const& Features() const { return features_; }  ///< without cuts yet
  /// Returns the features with the cuts of n_rows rows. Destroys the sketches.
  std::vector<FeatureCuts> Cut(Context const& ctx, std::int64_t n_rows);
  std::size_t Bytes() const;

 private:
  template <typename Rows>
  void AddRows(Context const& ctx, Rows const& rows, Span<float const> weights);

  int max_bin_;
  std::vector<FeatureCuts> features_;
  std::vector<std::unique_ptr<ColumnSketch>> sketches_;
};

/// Parameters of exact cuts.
struct CutTask {
  std::int64_t n_rows_here = 0;    ///< rows of this rank
  std::int64_t n_rows = 0;         ///< rows of all ranks
  std::uint32_t max_bin = 0;       ///< in [2, 65535]
  std::optional<WeightUnit> unit;  ///< set if rows have weights
};

/// Returns the task, on which all ranks agree. weights: [n_rows_here], or empty. \throws as FindWeightUnit does.
CutTask MakeCutTask(Context const& ctx, std::int64_t n_rows_here, int max_bin, Span<float const> weights);

/// Returns the exact cuts of the caller's rows, over all ranks. Copies only a few columns at a time.
std::vector<FeatureCuts> MakeExactCuts(Context const& ctx, DenseRows const& rows, int max_bin,
                                       Span<float const> weights);
/// The same for a matrix without categorical features.
std::vector<FeatureCuts> MakeExactCuts(Context const& ctx, DataMatrix const& rows, int max_bin,
                                       Span<float const> weights);

/// The same for whole columns, given the present values of each.
std::vector<FeatureCuts> MakeExactCuts(Context const& ctx, std::vector<ColumnPart> const& columns, CutTask const& task);

/// Joins the cuts and bounds of all features. Categorical features get a bin for each of their categories.
QuantileCuts JoinCuts(std::vector<FeatureCuts> const& features, CategoryLists categories);

/// Returns cuts that were made from other data, adapted to the data whose counts and bounds are `features` ([n_cols]):
/// the smallest value of these data represents the first bin of a feature if it lies in it.
QuantileCuts WithFirstValuesOf(std::vector<FeatureCuts> const& features, QuantileCuts cuts);

/// Returns the cuts of all features, [n_cols], for sketches other than the exact one.
std::vector<FeatureCuts> SketchedCuts(Context const& ctx, DataMatrix const& data, int max_bin,
                                      CutOptions const& options);

}  // namespace kauri
