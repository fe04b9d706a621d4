/// \file The label bins of a node's rows.
///
/// Vocabulary. residual: label less margin. A label bin holds residuals of a node between two of its edges. There are
/// kLabelBins at most, with edges at ranks of 4,096 of the node's rows at most, which are taken at a fixed stride. Most
/// edges are even ones for the median; for other quantiles half of them lie around the quantile. The others cut off the
/// last eighth of the rows at either end, the last sixteenth and so on: single rows there may weigh more than all
/// others, and a side of few rows that shares their bin would count as free of errors.
#pragma once

#include <cstdint>
#include <vector>

#include "tree/histogram/histogram_adder.h"
#include "tree/label_bins/bin_of_residual.h"
#include "tree/label_bins/fixed_residuals.h"

namespace kauri {

class LabelBinner {
 public:
  /// `residuals` must outlive it.
  explicit LabelBinner(FixedResiduals const& residuals);

  /// bins [rows of the slice]: those of its rows, in their order.
  void Find(RowSlice const& slice, std::uint8_t* bins) const;

 private:
  LabelEdges EdgesOf(RowSlice const& slice) const;

  FixedResiduals const& residuals_;
  std::vector<double> shares_;
};

/// [kLabelBins - 1], ascending: where the edges are, as shares of the rows.
std::vector<double> SharesOfEdges(double quantile);

}  // namespace kauri
