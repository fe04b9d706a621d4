/// \file Where the bins of a histogram method begin and end.
///
/// Vocabulary. The cuts of a feature ascend; bin b holds the values v with cuts[b - 1] <= v < cuts[b] (the first bin
/// has no lower bound), so "goes left at cuts[b]" (v < cuts[b]) means "lies in a bin up to b". Every cut but the last
/// is a value of the data; the last lies beyond the maximum, as in XGBoost.
///
/// The algorithm.
/// 1. Columns are copied out of the rows in groups, present values only, as integers that sort like the floats.
/// 2. sketch=exact: each column is sorted by a radix sort: exact ranks, in memory that is at hand anyway. Other
///    sketches (data/sketch/column_sketch.h) take the rows in blocks, in their order.
/// 3. Ranks count the weights of the rows, as integers (data/sketch/cut_weights.h). Rows without weight are left out:
/// they
///    could be missing from the data. Where the rows are spread over a group's ranks, these are asked what lies below
///    the values that matter (data/sketch/group_cuts.h).
/// 4. Cuts at even steps of rank follow (data/sketch/rank_cuts.h).
/// 5. sketch=moments: each cut moves up to the next value of the data, and bins that hold none are dropped.
/// A categorical feature has a bin per category (FillGaps), whatever the weights, the sketch and max_bin.
#pragma once

#include <cstdint>
#include <vector>

#include "data/categories/categories.h"
#include "data/sketch/column_sketch.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/host_device.h"

namespace kauri {

struct QuantileCuts {
  std::vector<std::uint32_t> feature_begin;  ///< [n_cols + 1]: feature f owns values[feature_begin[f] .. [f + 1])
  std::vector<float> values;                 ///< ascending within a feature, at least one each; +inf after FLT_MAX / 2
  std::vector<float> min_values;             ///< [n_cols]: a bound below the feature's minimum
  std::vector<float> first_values;           ///< [n_cols]: the value that stands for those in the first bin
  CategoryLists categories;  ///< [n_cols], those of a feature's bins in order; or empty: all are numbers

  std::int64_t NumCols() const { return static_cast<std::int64_t>(min_values.size()); }
  std::uint32_t NumBins(std::size_t feature) const { return feature_begin[feature + 1] - feature_begin[feature]; }
  float const* Of(std::size_t feature) const { return values.data() + feature_begin[feature]; }
  bool IsCategorical(std::size_t feature) const { return !categories.empty() && !categories[feature].empty(); }
};

struct CutOptions {
  SketchOptions sketch;
  Span<float const> weights;  ///< [n_rows], >= 0, see CutWeights; empty: all rows weigh the same
};

/// The cuts of every feature of `data`; max_bin in [2, 65535]. A function of the values and weights alone: neither the
/// storage nor the number of threads matters. Costs, for the exact sketch, a radix sort of all entries, and the memory
/// of 16 columns at a time (dense) or of a copy of the entries (sparse). In a group every rank calls it, with rows or
/// without, and gets the cuts of the rows of all. \throws Error(kData) for values that are no categories;
/// Error(kCollective) as RequireSameColumns does; Error(kParameter) for another sketch than the exact one in a group.
QuantileCuts MakeQuantileCuts(Context const& ctx, DataMatrix const& data, int max_bin, CutOptions const& options = {});

/// The cuts of numbers as they are, and of all features that have some in `categories` ([n_cols]) bins for those.
QuantileCuts ReplaceCategories(QuantileCuts const& cuts, CategoryLists categories);

/// The bin of a value that is not NaN: the number of cuts at or below it, at most n_bins - 1. cuts: a pointer,
/// or whatever else has them by their numbers.
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
