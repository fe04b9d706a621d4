/// \file Assigns label bins to the rows of a node.
///
/// Vocabulary. residual: label minus margin. A label bin holds the residuals of a node between two bin edges. There are
/// at most kLabelBins bins. Their edges are residuals of given ranks among at most 4,096 rows of the node, sampled at a
/// fixed stride. For the median most edges are evenly spaced; for other quantiles half of them are concentrated around
/// the quantile. The other edges separate the last eighth of the rows at either end, the last sixteenth and so on.
/// Single rows there may outweigh all others, and a side of few rows that share one bin would seem free of errors.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/span.h"
#include "tree/absolute_error/bin_sides.h"
#include "tree/absolute_error/fixed_residuals.h"
#include "tree/absolute_error/label_edges.h"
#include "tree/histogram/histogram_adder.h"

namespace kauri {

// Finds the label bins of residuals, many at once.

/// Bin edges, ascending, then infinity. At most kLabelBins - 1 edges are used. Bin b holds residuals from edges[b - 1]
/// on.
using LabelEdges = std::array<float, kLabelBins>;

/// Sets each bin to the number of edges, except the last, that do not exceed the residual; 0 for NaN. Costs one
/// comparison per edge and vector, which is less than a binary search, whose steps depend on each other.
void FindBins(Span<float const> residuals, LabelEdges const& edges, std::uint8_t* bins);

class LabelBinner {
 public:
  /// `residuals` must outlive this object.
  explicit LabelBinner(FixedResiduals const& residuals);

  /// Sets bins [rows of the slice] to the label bins of its rows, in order.
  void Find(RowSlice const& slice, std::uint8_t* bins) const;

 private:
  LabelEdges EdgesOf(RowSlice const& slice) const;

  FixedResiduals const& residuals_;
  std::vector<double> shares_;
};

/// Returns the positions of the edges as shares of the rows, [kLabelBins - 1], ascending.
std::vector<double> SharesOfEdges(double quantile);

// Radix sort of floats in a fixed number of passes: comparisons of unsorted numbers are unpredictable.

/// Sorts in ascending order; values must not be NaN. Negative zeros come first. Costs some nanoseconds per number, plus
/// a microsecond.
inline void SortFloats(std::vector<float>* values) {
  constexpr std::size_t kDigits = 4;
  std::vector<std::uint32_t> keys(values->size());
  std::vector<std::uint32_t> others(values->size());
  std::array<std::array<std::uint32_t, 256>, kDigits> places{};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i] = OrderedBits((*values)[i]);
    for (std::size_t digit = 0; digit < kDigits; ++digit) ++places[digit][keys[i] >> (8 * digit) & 255];
  }
  for (std::size_t digit = 0; digit < kDigits; ++digit) {
    std::uint32_t place = 0;
    for (auto& count : places[digit]) place += std::exchange(count, place);
    for (auto const key : keys) others[places[digit][key >> (8 * digit) & 255]++] = key;
    keys.swap(others);
  }
  for (std::size_t i = 0; i < keys.size(); ++i) (*values)[i] = FloatOfOrdered(keys[i]);
}

// The bin indices of one feature for rows of a node, independent of the storage of bins.

inline std::int64_t RowAt(RowSlice const& slice, std::int64_t position) {
  return slice.rows == nullptr ? position : static_cast<std::int64_t>(slice.rows[position]);
}

/// Calls fn(code_of), where code_of(row) is the bin index of the feature, or its number of bins if missing.
template <typename Fn>
void WithCodes(BinMatrix const& bins, std::uint32_t feature, Fn&& fn) {
  auto const column = static_cast<std::int64_t>(feature) * bins.NumRows();
  if (!bins.IsDense()) {
    auto const missing = bins.NumBins(feature);
    fn([&bins, feature, missing](std::int64_t row) { return std::min(bins.FindCode(row, feature), missing); });
  } else if (bins.HasByteCodes()) {
    fn([codes = bins.Bytes().columns.data() + column](std::int64_t row) { return std::uint32_t{codes[row]}; });
  } else {
    fn([codes = bins.Words().columns.data() + column](std::int64_t row) { return std::uint32_t{codes[row]}; });
  }
}

}  // namespace kauri
