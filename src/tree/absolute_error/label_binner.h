/// \file Assigns label bins to the rows of a node.
///
/// Vocabulary. residual: label minus margin. A label bin holds the residuals of a node between two bin edges. There are
/// at most kLabelBins bins. Their edges are residuals of given ranks among at most 4,096 rows of the node, sampled at a
/// fixed stride. For the median most edges are evenly spaced; for other quantiles half of them are concentrated around
/// the quantile. The other edges separate the last eighth of the rows at either end, the last sixteenth and so on.
/// Single rows there may outweigh all others, and a side of few rows that share one bin would seem free of errors.
#pragma once

#include <cstdint>
#include <vector>

#include "tree/absolute_error/bin_of_residual.h"
#include "tree/absolute_error/fixed_residuals.h"
#include "tree/histogram/histogram_adder.h"

namespace kauri {

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

}  // namespace kauri
