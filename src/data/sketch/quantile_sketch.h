/// \file The bin edges of the histogram methods.
///
/// Vocabulary. A cut is a bin edge. The cuts of a feature ascend; bin b holds the values v with cuts[b - 1] <= v <
/// cuts[b] (the first bin has no lower bound), so "goes left at cuts[b]" (v < cuts[b]) means "lies in a bin up to b".
/// Every cut but the last is a value of the data; the last lies beyond the maximum, as in XGBoost.
///
/// The algorithm.
/// 1. Columns are copied out of the rows in groups, present values only, as integers that sort like the floats.
/// 2. sketch=exact: a radix sort of each column gives exact ranks, in memory that is available anyway. Other sketches
///    (data/sketch/sketch_method.h) take the rows in blocks, in their order.
/// 3. Ranks count the weights of the rows, as integers (data/sketch/cut_weights.h). Rows without weight are left out:
///    they could be missing from the data. If the rows are distributed over a group's ranks, all ranks sum the weights
///    below the values that matter (data/sketch/group_cuts.h).
/// 4. Cuts are placed at even steps of rank (data/sketch/rank_cuts.h).
/// A categorical feature has one bin per category (FillGaps), whatever the weights, the sketch and max_bin.
#pragma once

#include <cstdint>
#include <vector>

#include "data/categories/categories.h"
#include "data/sketch/sketch_method.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/host_device.h"

namespace kauri {

struct QuantileCuts {
  std::vector<std::uint32_t> feature_begin;  ///< [n_cols + 1]: feature f owns values[feature_begin[f] .. [f + 1])
  std::vector<float> values;                 ///< ascending within a feature, at least one each; +inf beyond FLT_MAX / 2
  std::vector<float> min_values;             ///< [n_cols]: a lower bound of the feature's values
  std::vector<float> first_values;           ///< [n_cols]: the value that represents the first bin
  CategoryLists categories;  ///< [n_cols], the category of each bin of a feature; or empty: all features are numbers

  std::int64_t NumCols() const { return static_cast<std::int64_t>(min_values.size()); }
  std::uint32_t NumBins(std::size_t feature) const { return feature_begin[feature + 1] - feature_begin[feature]; }
  float const* Of(std::size_t feature) const { return values.data() + feature_begin[feature]; }
  bool IsCategorical(std::size_t feature) const { return !categories.empty() && !categories[feature].empty(); }
};

struct CutOptions {
  SketchChoice sketch;        ///< null: exact
  Span<float const> weights;  ///< [n_rows], >= 0, see CutWeights; empty: equal weights
};

/// Returns the cuts of every feature of `data`; max_bin in [2, 65535]. The cuts depend on the values and weights alone,
/// not on the storage or the number of threads. Costs, for the exact sketch, a radix sort of all entries, and the
/// memory of 16 columns at a time (dense) or of a copy of the entries (sparse). In a group every rank calls it, with or
/// without rows, and gets the cuts of all rows. \throws Error(kData) for invalid categories; Error(kCollective) as
/// RequireSameColumns does.
QuantileCuts MakeQuantileCuts(Context const& ctx, DataMatrix const& data, int max_bin, CutOptions const& options = {});

/// Returns the cuts with the bins of categorical features replaced by one bin per category in `categories` ([n_cols]).
QuantileCuts ReplaceCategories(QuantileCuts const& cuts, CategoryLists categories);

/// Returns the bin of a value that is not NaN: the number of cuts at or below it, at most n_bins - 1. cuts: a pointer,
/// or any other type with operator[].
template <typename Cuts>
KAURI_HD std::uint32_t FindBin(Cuts const& cuts, std::uint32_t n_bins, float value) {
  std::uint32_t first = 0;
  for (auto length = n_bins; length > 1;) {
    auto const half = length / 2;
    first += cuts[first + half - 1] <= value ? half : 0;
    length -= half;
  }
  return first;
}

}  // namespace kauri
